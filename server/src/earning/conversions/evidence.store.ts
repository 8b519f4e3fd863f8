import { byPlace } from '../../db/by-place.ts'
import type { ReadItems } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type NamedAffiliateRow, namedColumns } from '../../programme/affiliates/named-affiliate.store.ts'
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

/** A conversion that names a click. Without a time it happens now. */
interface ClickReport {
  campaignId: number
  clickId: number
  occurredAt: string | undefined
}

/**
 * The click and the visitor's other clicks since the attribution window began, each with its affiliate. For all conversions of a group at
 * once: an id names no partition, so every partition is planned and opened.
 */
export const findClickEvidence: ReadItems<ClickReport, ClickEvidenceRow[]> = async (
  tx,
  accountId,
  reports,
) => {
  const rows = await tx.many<ClickEvidenceRow & { place: number }>(sql`
    SELECT k.id AS click_id, k.campaign_id, k.created_at AS clicked_at, ${namedColumns(accountId, sql`given.campaign_id`)}, EXISTS (
             SELECT 1 FROM affiliate_addresses s
              WHERE s.account_id = ${accountId} AND s.affiliate_id = a.id AND s.address_hash = k.address_hash) AS is_own_address,
           given.place
      FROM unnest(${reports.map(({ campaignId }) => campaignId)}::bigint[], ${reports.map(({ clickId }) => clickId)}::bigint[],
                  ${reports.map(({ occurredAt }) => occurredAt ?? null)}::timestamptz[])
           WITH ORDINALITY AS given (campaign_id, click_id, occurred_at, place)
     CROSS JOIN LATERAL (
       WITH ${clicksOfVisitor(accountId, sql`given.click_id`, windowStart(accountId, sql`given.campaign_id`, sql`given.occurred_at`))}
       SELECT * FROM seen) k
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id`)
  return byPlace(rows, reports)
}
