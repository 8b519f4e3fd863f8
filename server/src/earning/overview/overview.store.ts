import type { Waiting } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { all, type Sql, sql, when } from '../../db/sql.ts'
import { clearsSoon } from '../../money/commissions/clearing-soon.store.ts'
import { worthOf } from '../../money/fx/worth.store.ts'
import { commissionsOf, countsAsEarned } from '../../money/ledger/counts-as-earned.ts'
import { finishedRecently } from '../../money/payouts/finished-recently.store.ts'
import { isFailing } from '../../webhooks/endpoints/webhook-endpoint.store.ts'
import { isRecentConversion } from '../conversions/recent-conversion.store.ts'
import { countsAsConversion } from '../referrals/counts-as-conversion.store.ts'
import type { Period } from './period.store.ts'

/** The account, period, and optionally one campaign or affiliate, that metrics are computed for. */
export interface Scope {
  accountId: number
  period: Period
  campaignId?: number | undefined
  affiliateId?: number | undefined
}

/** A metric for one step of the period; the previous period has a single value, without a step. */
export interface Counted {
  step: number | null
  count: number
}

export interface Summed extends Counted {
  currency: string
  sum_minor: number
  /** Exact, in whole units of the reporting currency; null without one, and where no day has a rate. */
  converted: string | null
  /** Of days without a rate. */
  without_rate: number
}

/** Rows of the period or of the previous one. */
const within = (time: Sql, { from, to, before }: Period): Sql =>
  sql`${time} >= ${before.from} AND ${time} < ${to} AND (${time} < ${before.to} OR ${time} >= ${from})`

/** The number of the step that a time falls into: steps with a clock change are longer or shorter than the others. */
const step = (time: Sql, { steps }: Period): Sql =>
  sql`nullif(width_bucket(${time}, ${steps.map(({ from }) => from)}::timestamptz[]), 0) - 1`

/** The day whose rate counts. Without a reporting currency all are one, so that nothing more is grouped than before. */
const dayOf = (time: Sql, { timeZone, reportingCurrency }: Period): Sql =>
  reportingCurrency === null ? sql`NULL::date` : sql`(${time} AT TIME ZONE ${timeZone}::text)::date`

/** What the amounts of a day are worth in the reporting currency, as the WITH query `rates` after `sums`. */
const rates = ({ reportingCurrency }: Period): Sql => sql`
  rates AS (
    SELECT u.day, u.currency, ${worthOf(sql`u.currency`, sql`u.day`, reportingCurrency)} AS worth
      FROM (SELECT DISTINCT g.day, g.currency FROM sums g WHERE g.day IS NOT NULL) u
  )`

/** The WITH query `sums`, by day, as sums by step and currency: what they are, and what they are worth. */
const convertedSums = (sums: Sql, period: Period): Sql => sql`
  WITH ${sums}, ${rates(period)}
  SELECT g.step, g.currency, sum(g.count)::integer AS count, sum(g.sum_minor) AS sum_minor,
         sum(g.sum_minor * r.worth)::text AS converted,
         coalesce(sum(g.sum_minor) FILTER (WHERE r.worth IS NULL), 0) AS without_rate
    FROM sums g LEFT JOIN rates r ON r.day = g.day AND r.currency = g.currency GROUP BY 1, 2`

export function countClicks(
  db: Db,
  { accountId, period, campaignId, affiliateId }: Scope,
): Promise<Counted[]> {
  const filters = all(
    within(sql`c.created_at`, period),
    when(campaignId, id => sql`c.campaign_id = ${id}`),
    when(affiliateId, id => sql`c.affiliate_id = ${id}`),
  )
  return db.many(sql`
    SELECT ${step(sql`c.created_at`, period)} AS step, count(*)::integer AS count
      FROM clicks c WHERE c.account_id = ${accountId} AND ${filters} AND NOT c.is_bot GROUP BY 1`)
}

export function countConversions(
  db: Db,
  { accountId, period, campaignId, affiliateId }: Scope,
): Promise<Counted[]> {
  const filters = all(
    within(sql`r.occurred_at`, period),
    when(campaignId, id => sql`r.campaign_id = ${id}`),
    when(affiliateId, id => sql`r.affiliate_id = ${id}`),
  )
  return db.many(sql`
    SELECT ${step(sql`r.occurred_at`, period)} AS step, count(*)::integer AS count
      FROM referrals r
     WHERE r.account_id = ${accountId} AND ${filters} AND ${countsAsConversion} GROUP BY 1`)
}

/** Commissions earned in money that have not been voided, nor taken back because their referral was reassigned. */
const earned = ({ accountId, campaignId, affiliateId }: Scope): Sql => sql`
  ${countsAsEarned(accountId)} AND ${all(
    when(campaignId, id => sql`c.campaign_id = ${id}`),
    when(affiliateId, id => sql`c.affiliate_id = ${id}`),
  )}`

export function sumCommissions(db: Db, scope: Scope): Promise<Summed[]> {
  const { accountId, period } = scope
  const sums = sql`
    sums AS (
      SELECT ${step(sql`c.created_at`, period)} AS step, c.payout_currency AS currency, ${dayOf(sql`c.created_at`, period)} AS day,
             sum(${commissionsOf(accountId)}) AS count, sum(c.payout_amount_minor) AS sum_minor
        FROM commissions c
       WHERE c.account_id = ${accountId} AND ${within(sql`c.created_at`, period)} AND ${earned(scope)} GROUP BY 1, 2, 3
    )`
  return db.many(convertedSums(sums, period))
}

/** What needs attention, regardless of the period. One query, in which every count uses an index. */
/** Without the signs of fraud, which are found above this layer. */
type WaitingHere = Omit<Waiting, 'signals_to_review'>

export async function findWaiting(db: Db, accountId: number): Promise<WaitingHere> {
  const row = await db.first<WaitingHere>(sql`
    SELECT (SELECT count(*) FROM affiliates a WHERE a.account_id = ${accountId} AND a.status = 'pending')::integer
             AS affiliates_to_approve,
           (SELECT count(*) FROM referrals r
             WHERE r.account_id = ${accountId} AND r.status = 'pending_review' AND NOT r.is_test)::integer AS referrals_to_review,
           (SELECT count(*) FROM commissions c
             WHERE c.account_id = ${accountId} AND ${clearsSoon(accountId)})::integer AS holds_ending,
           (SELECT count(*) FROM webhook_endpoints w
             WHERE w.account_id = ${accountId} AND w.deleted_at IS NULL AND ${isFailing})::integer
             AS failing_endpoints,
           (SELECT count(*) FROM payouts p WHERE p.account_id = ${accountId} AND p.status = 'pending')::integer AS payouts_to_send,
           (SELECT count(*) FROM payouts p WHERE p.account_id = ${accountId} AND p.status = 'processing')::integer
             AS payouts_in_progress,
           (SELECT count(*) FROM payouts p
             WHERE p.account_id = ${accountId} AND p.status = 'partially_paid' AND ${finishedRecently})::integer AS payouts_partially_paid,
           (SELECT count(*) FROM payouts p
             WHERE p.account_id = ${accountId} AND p.status = 'failed' AND ${finishedRecently})::integer AS payouts_failed,
           (SELECT count(*) FROM conversions v
             WHERE v.account_id = ${accountId} AND v.referral_id IS NULL AND ${isRecentConversion})::integer AS unattributed_conversions`)
  return row as WaitingHere
}
