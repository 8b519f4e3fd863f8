import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { Count, Currency, closed, Day, Id, nullable, SumMinor, Timestamp, TimeZone } from '../fields.ts'
import { FirstSteps } from './first-steps.ts'
import { read } from './schema.ts'
import { Sum } from './sum.ts'

/** The periods of the overview, in days up to today. A year is 52 weeks, so that every step of its chart is a full week. */
export const overviewPeriods = [7, 30, 90, 365] as const
export type OverviewPeriod = (typeof overviewPeriods)[number]

/** A metric of the period and of the previous period, which has the same length and ends at the same time of day. */
const comparedFields = { now: SumMinor, before: SumMinor }
export const Compared = closed(comparedFields)
export type Compared = Static<typeof Compared>

export const ComparedMoney = closed({ ...comparedFields, currency: Currency })
export type ComparedMoney = Static<typeof ComparedMoney>

/** Amounts of all currencies in the reporting currency, each at the rate of its day. */
export const ComparedSum = closed({
  ...comparedFields,
  /** What is not in it, since no rate is known for its day. */
  without_rate: Type.Array(ComparedMoney),
})
export type ComparedSum = Static<typeof ComparedSum>

/** One step of the charts: a day, or a week if the period is a year. Amounts are in the reporting currency, or in the charts' currencies. */
export const OverviewStep = closed({
  /** Its first day, by the account's calendar. */
  day: Day,
  from: Timestamp,
  clicks: Count,
  conversions: Count,
  revenue_minor: SumMinor,
  commissions_minor: SumMinor,
})
export type OverviewStep = Static<typeof OverviewStep>

export const TopAffiliate = closed({
  id: Id,
  name: Affiliate.properties.name,
  email: Affiliate.properties.email,
  sales: Count,
  commissions_minor: SumMinor,
  /** What the amount was converted from, by currency; empty without a reporting currency. */
  original: Type.Array(Sum),
})
export type TopAffiliate = Static<typeof TopAffiliate>

/** What needs attention. Each count links to the list with its rows. */
export const Waiting = closed({
  affiliates_to_approve: Count,
  referrals_to_review: Count,
  /** Open signs of fraud. */
  signals_to_review: Count,
  /** Commissions that clear within seven days. */
  holds_ending: Count,
  failing_endpoints: Count,
  payouts_to_send: Count,
  payouts_in_progress: Count,
  /** Payouts of the last 30 days with at least one failed payment. */
  payouts_partially_paid: Count,
  payouts_failed: Count,
  /** Unattributed conversions of the last 30 days. */
  unattributed_conversions: Count,
})
export type Waiting = Static<typeof Waiting>

export const Overview = closed({
  /** The account's time zone, which decides the days. */
  time_zone: TimeZone,
  from: Timestamp,
  to: Timestamp,
  step_days: Type.Unsafe<1 | 7>({ type: 'integer', enum: [1, 7] }),
  clicks: Compared,
  conversions: Compared,
  /** Sales of referred customers before refunds, by currency; the chart's currency first. */
  revenue: Type.Array(ComparedMoney),
  /** Commissions of these sales, by payout currency; the chart's currency first. */
  commissions: Type.Array(ComparedMoney),
  /** Null without a reporting currency. */
  converted: nullable(closed({ currency: Currency, revenue: ComparedSum, commissions: ComparedSum })),
  series: Type.Array(OverviewStep),
  /** Ordered by commissions, in the reporting currency or in the first one. */
  top_affiliates: Type.Array(TopAffiliate),
  waiting: Waiting,
  first_steps: FirstSteps,
})
export type Overview = Static<typeof Overview>

export const overviewSchemas = {
  getOverview: read(
    Overview,
    closed({
      days: Type.Optional(Type.Unsafe<OverviewPeriod>({ type: 'integer', enum: [...overviewPeriods] })),
      campaign_id: Type.Optional(Id),
    }),
  ),
}
