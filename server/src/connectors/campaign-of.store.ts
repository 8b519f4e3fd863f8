import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { affiliateOfToken } from '../programme/affiliates/token-alias.store.ts'

/** The conversion that a coupon code and a click were reported for. */
export interface Converted {
  customer: string
  occurredAt: string
}

/** Whether the campaign was paused or archived at this time. */
const isStopped = (accountId: number, campaignId: Sql, at: Sql): Sql => sql`EXISTS (
  SELECT 1 FROM campaign_stops t
   WHERE t.account_id = ${accountId} AND t.campaign_id = ${campaignId} AND t.began_at <= ${at} AND (t.ended_at IS NULL OR t.ended_at > ${at}))`

/** Whether the customer was referred in the campaign already, so that more evidence there changes nothing. */
const isReferredIn = (accountId: number, campaignId: Sql, customer: string): Sql => sql`(
  EXISTS (SELECT 1 FROM referrals r
           WHERE r.account_id = ${accountId} AND r.campaign_id = ${campaignId} AND r.customer_ref = ${customer})
  OR EXISTS (SELECT 1 FROM conversions v
              WHERE v.account_id = ${accountId} AND v.campaign_id = ${campaignId} AND v.customer_ref = ${customer}
                AND v.referral_id IS NOT NULL))`

export interface ClickedCampaign {
  campaign_id: number
  /** Whether the click can be credited for the conversion. */
  can_win: boolean
}

/** The campaign of a click; undefined if there is no such click. */
export function campaignOfClick(
  db: Db,
  accountId: number,
  clickId: number,
  { customer, occurredAt }: Converted,
): Promise<ClickedCampaign | undefined> {
  const at = sql`${occurredAt}::timestamptz`
  return db.first(sql`
    SELECT k.campaign_id,
           a.status = 'approved' AND k.created_at BETWEEN ${at} - p.attribution_window_days * interval '1 day' AND ${at}
             AND EXISTS (SELECT 1 FROM enrolments n
                          WHERE n.account_id = ${accountId} AND n.affiliate_id = k.affiliate_id AND n.campaign_id = k.campaign_id)
             AND NOT ${isStopped(accountId, sql`k.campaign_id`, sql`k.created_at`)}
             AND NOT ${isStopped(accountId, sql`k.campaign_id`, at)}
           OR ${isReferredIn(accountId, sql`k.campaign_id`, customer)} AS can_win
      FROM clicks k
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id
      JOIN campaigns p ON p.account_id = ${accountId} AND p.id = k.campaign_id
     WHERE k.account_id = ${accountId} AND k.id = ${clickId} LIMIT 1`)
}

/** Whether the affiliate of `chosen` can be credited for a conversion in its campaign, or is already. */
const canWin = (accountId: number, { customer, occurredAt }: Converted): Sql => sql`(
  chosen.status = 'approved' AND NOT ${isStopped(accountId, sql`chosen.campaign_id`, sql`${occurredAt}::timestamptz`)}
  OR ${isReferredIn(accountId, sql`chosen.campaign_id`, customer)})`

/**
 * The campaign that a named affiliate promotes, of those they are enrolled in: the one that was clicked, else the preferred one, else their
 * first. An archived one credits no one, so it comes last. Undefined if it's another one than was clicked, the click can win in its own, and they
 * can't: the click would be lost to it.
 */
export async function campaignOfAffiliate(
  db: Db,
  accountId: number,
  named: { token: string } | { couponCodeKey: string },
  {
    clicked,
    preferred,
  }: { clicked?: { campaign: ClickedCampaign; by: Converted } | undefined; preferred: number | null },
): Promise<number | undefined> {
  const isNamed =
    'token' in named
      ? sql`a.id = ${affiliateOfToken(accountId, named.token)}`
      : sql`a.coupon_code_key = ${named.couponCodeKey}`
  const counts = clicked?.campaign.can_win
    ? sql`(chosen.campaign_id = ${clicked.campaign.campaign_id} OR ${canWin(accountId, clicked.by)})`
    : sql`true`
  const row = await db.first<{ campaign_id: number }>(sql`
    SELECT chosen.campaign_id
      FROM (SELECT n.campaign_id, a.status FROM affiliates a
              JOIN enrolments n ON n.account_id = ${accountId} AND n.affiliate_id = a.id
              JOIN campaigns p ON p.account_id = ${accountId} AND p.id = n.campaign_id
             WHERE a.account_id = ${accountId} AND ${isNamed}
             ORDER BY n.campaign_id IS DISTINCT FROM ${clicked?.campaign.campaign_id ?? null}, p.status = 'archived',
                      n.campaign_id IS DISTINCT FROM ${preferred}, n.id LIMIT 1) chosen
     WHERE ${counts}`)
  return row?.campaign_id
}
