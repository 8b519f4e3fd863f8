import type { CampaignStatus } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { windowStart } from './campaign.store.ts'

/** A time in which a campaign credits no one: paused or archived. */
export interface CampaignStop {
  status: 'paused' | 'archived'
  began_at: string
  /** Null while it lasts. */
  ended_at: string | null
}

/** The stops of a campaign that were in effect in the attribution window of a conversion, or later. */
export function findStops(
  db: Db,
  accountId: number,
  campaignId: number,
  occurredAt: string | undefined,
): Promise<CampaignStop[]> {
  return db.many(sql`
    SELECT s.status, s.began_at, s.ended_at FROM campaign_stops s
     WHERE s.account_id = ${accountId} AND s.campaign_id = ${campaignId} AND (s.ended_at IS NULL OR s.ended_at > ${windowStart(accountId, campaignId, occurredAt)})
     ORDER BY s.id`)
}

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
