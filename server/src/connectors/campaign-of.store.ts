import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { clicksOfVisitor } from '../earning/tracking/click.store.ts'
import { affiliateOfToken } from '../programme/affiliates/token-alias.store.ts'
import { windowStart } from '../programme/campaigns/campaign.store.ts'

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

/** The campaign of a click, and whether it or another click of the visitor there can be credited; undefined if there is no such click. */
export function campaignOfClick(
  db: Db,
  accountId: number,
  clickId: number,
  { customer, occurredAt }: Converted,
): Promise<ClickedCampaign | undefined> {
  const at = sql`${occurredAt}::timestamptz`
  const since = windowStart(accountId, sql`n.campaign_id`, at)
  return db.first(sql`
    WITH ${clicksOfVisitor(accountId, clickId, since)}
    SELECT n.campaign_id,
           NOT ${isStopped(accountId, sql`n.campaign_id`, at)} AND EXISTS (
             SELECT 1 FROM seen k
               JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id AND a.status = 'approved'
               JOIN enrolments e ON e.account_id = ${accountId} AND e.affiliate_id = k.affiliate_id AND e.campaign_id = k.campaign_id
              WHERE k.campaign_id = n.campaign_id AND k.created_at >= ${since} AND k.created_at <= ${at}
                AND NOT ${isStopped(accountId, sql`k.campaign_id`, sql`k.created_at`)})
           OR ${isReferredIn(accountId, sql`n.campaign_id`, customer)} AS can_win
      FROM named n`)
}

/**
 * Whether the code or token of the affiliate of `chosen` counts in its campaign beside a click in another: the customer was referred there
 * already, or the affiliate can be credited there; on approval, if the click can't be at all.
 */
const standsBeside = (accountId: number, click: ClickedCampaign, { occurredAt }: Converted): Sql => sql`(
  chosen.is_referred
  OR (chosen.status = 'approved' OR chosen.status = 'pending' AND NOT ${click.can_win}::boolean)
     AND NOT ${isStopped(accountId, sql`chosen.campaign_id`, sql`${occurredAt}::timestamptz`)})`

/**
 * The campaign that a named affiliate promotes, of those they are enrolled in: the one that was clicked, else one that the customer was referred in,
 * else the preferred one, else their first. An archived one credits no one, so it comes last. Undefined if it's another one than was clicked, and
 * the click would be lost to someone who can't be credited.
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
  const isReferred = clicked ? isReferredIn(accountId, sql`n.campaign_id`, clicked.by.customer) : sql`false`
  const counts = clicked
    ? sql`(chosen.campaign_id = ${clicked.campaign.campaign_id} OR ${standsBeside(accountId, clicked.campaign, clicked.by)})`
    : sql`true`
  const row = await db.first<{ campaign_id: number }>(sql`
    SELECT chosen.campaign_id
      FROM (SELECT n.campaign_id, a.status, ${isReferred} AS is_referred FROM affiliates a
              JOIN enrolments n ON n.account_id = ${accountId} AND n.affiliate_id = a.id
              JOIN campaigns p ON p.account_id = ${accountId} AND p.id = n.campaign_id
             WHERE a.account_id = ${accountId} AND ${isNamed}
             ORDER BY n.campaign_id IS DISTINCT FROM ${clicked?.campaign.campaign_id ?? null}, is_referred DESC, p.status = 'archived',
                      n.campaign_id IS DISTINCT FROM ${preferred}, n.id LIMIT 1) chosen
     WHERE ${counts}`)
  return row?.campaign_id
}
