import type { CampaignStatus } from '@tributary/contract/dashboard'
import { byPlace } from '../../db/by-place.ts'
import type { ReadItems, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { windowStart } from './campaign.store.ts'

/** A time in which a campaign credits no one: paused or archived. */
export interface CampaignStop {
  status: 'paused' | 'archived'
  began_at: string
  /** Null while it lasts. */
  ended_at: string | null
}

/** A conversion in a campaign. Without a time it happens now. */
interface Converted {
  campaignId: number
  occurredAt: string | undefined
}

const findStopsOfAll: ReadItems<Converted, CampaignStop[]> = async (tx, accountId, conversions) => {
  const rows = await tx.many<CampaignStop & { place: number }>(sql`
    SELECT s.status, s.began_at, s.ended_at, given.place
      FROM unnest(${conversions.map(({ campaignId }) => campaignId)}::bigint[], ${conversions.map(({ occurredAt }) => occurredAt ?? null)}::timestamptz[])
           WITH ORDINALITY AS given (campaign_id, occurred_at, place)
      JOIN campaign_stops s ON s.account_id = ${accountId} AND s.campaign_id = given.campaign_id
     WHERE s.ended_at IS NULL OR s.ended_at > ${windowStart(accountId, sql`given.campaign_id`, sql`given.occurred_at`)}
     ORDER BY s.id`)
  return byPlace(rows, conversions)
}

/** The stops of a campaign that were in effect in the attribution window of a conversion, or later. */
export const findStops = (
  tx: Tx,
  accountId: number,
  campaignId: number,
  occurredAt: string | undefined,
): Promise<CampaignStop[]> => tx.readItem(findStopsOfAll, accountId, { campaignId, occurredAt })

export async function findCampaignStatus(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<CampaignStatus | undefined> {
  const row = await tx.first<{ status: CampaignStatus }>(sql`
    SELECT c.status FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ${id}`)
  return row?.status
}

/** Sets the status and records since when. The caller has locked the campaign. */
export function saveCampaignStatus(tx: Tx, accountId: number, id: number, status: CampaignStatus): void {
  tx.send(sql`UPDATE campaigns SET status = ${status} WHERE account_id = ${accountId} AND id = ${id}`)
  tx.send(sql`
    UPDATE campaign_stops SET ended_at = clock_timestamp()
     WHERE account_id = ${accountId} AND campaign_id = ${id} AND ended_at IS NULL`)
  if (status !== 'active')
    tx.send(sql`
      INSERT INTO campaign_stops (account_id, campaign_id, status) VALUES (${accountId}, ${id}, ${status})`)
}
