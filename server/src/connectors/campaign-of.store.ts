import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { affiliateOfToken } from '../programme/affiliates/token-alias.store.ts'

/** The campaign of a click; undefined if there is no such click. */
export async function campaignOfClick(
  db: Db,
  accountId: number,
  clickId: number,
): Promise<number | undefined> {
  const row = await db.first<{ campaign_id: number }>(sql`
    SELECT k.campaign_id FROM clicks k WHERE k.account_id = ${accountId} AND k.id = ${clickId} LIMIT 1`)
  return row?.campaign_id
}

/** The conversion that a coupon code and a click were reported for. */
export interface Converted {
  customer: string
  occurredAt: string
}

/**
 * Whether the affiliate `a` can be credited for a conversion in the campaign of their enrolment `n`: approved, and the campaign not
 * stopped; or the customer was referred there already, so that this changes nothing.
 */
const canWin = (accountId: number, { customer, occurredAt }: Converted): Sql => sql`(
  a.status = 'approved' AND NOT EXISTS (
    SELECT 1 FROM campaign_stops t
     WHERE t.account_id = ${accountId} AND t.campaign_id = n.campaign_id AND t.began_at <= ${occurredAt}
       AND (t.ended_at IS NULL OR t.ended_at > ${occurredAt}))
  OR EXISTS (SELECT 1 FROM referrals r
              WHERE r.account_id = ${accountId} AND r.campaign_id = n.campaign_id AND r.customer_ref = ${customer})
  OR EXISTS (SELECT 1 FROM conversions v
              WHERE v.account_id = ${accountId} AND v.campaign_id = n.campaign_id AND v.customer_ref = ${customer}
                AND v.referral_id IS NOT NULL))`

/**
 * The campaign that a named affiliate promotes, of those they are enrolled in: the one that was clicked, else the preferred one, else their
 * first. An archived one credits no one, so it comes last. If another campaign was clicked, one where they can't be credited does not count:
 * the click would be lost to it.
 */
export async function campaignOfAffiliate(
  db: Db,
  accountId: number,
  named: { token: string } | { couponCodeKey: string },
  {
    clicked,
    preferred,
  }: { clicked?: { campaignId: number; by: Converted } | undefined; preferred: number | null },
): Promise<number | undefined> {
  const isNamed =
    'token' in named
      ? sql`a.id = ${affiliateOfToken(accountId, named.token)}`
      : sql`a.coupon_code_key = ${named.couponCodeKey}`
  const counts = clicked
    ? sql`(n.campaign_id = ${clicked.campaignId} OR ${canWin(accountId, clicked.by)})`
    : sql`true`
  const row = await db.first<{ campaign_id: number }>(sql`
    SELECT n.campaign_id FROM affiliates a
      JOIN enrolments n ON n.account_id = ${accountId} AND n.affiliate_id = a.id
      JOIN campaigns p ON p.account_id = ${accountId} AND p.id = n.campaign_id
     WHERE a.account_id = ${accountId} AND ${isNamed} AND ${counts}
     ORDER BY n.campaign_id IS DISTINCT FROM ${clicked?.campaignId ?? null}, p.status = 'archived', n.campaign_id IS DISTINCT FROM ${preferred}, n.id LIMIT 1`)
  return row?.campaign_id
}
