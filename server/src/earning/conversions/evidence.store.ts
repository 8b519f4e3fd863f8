import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type NamedAffiliateRow, namedColumns } from '../../programme/affiliates/affiliate.store.ts'
import { windowStart } from '../../programme/campaigns/campaign.store.ts'
import { clicksOfVisitor } from '../tracking/click.store.ts'

/** A click, and its affiliate. */
export interface ClickEvidenceRow extends NamedAffiliateRow {
  click_id: number
  campaign_id: number
  clicked_at: string
  /** Whether the affiliate has signed in from the IP address of the click. */
  is_own_address: boolean
}

/** The click and the visitor's other clicks since the attribution window began, each with its affiliate. */
export function findClickEvidence(
  db: Db,
  accountId: number,
  campaignId: number,
  clickId: number,
  occurredAt: string | undefined,
): Promise<ClickEvidenceRow[]> {
  const since = windowStart(accountId, campaignId, occurredAt)
  return db.many(sql`
    WITH ${clicksOfVisitor(accountId, clickId, since)}
    SELECT k.id AS click_id, k.campaign_id, k.created_at AS clicked_at, ${namedColumns(accountId, campaignId)}, EXISTS (
             SELECT 1 FROM affiliate_addresses s
              WHERE s.account_id = ${accountId} AND s.affiliate_id = a.id AND s.address_hash = k.address_hash) AS is_own_address
      FROM seen k
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id`)
}
