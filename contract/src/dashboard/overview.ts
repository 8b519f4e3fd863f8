import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { Count, Currency, closed, Id, SumMinor, Timestamp } from '../fields.ts'
import { read } from './schema.ts'

/** How far back the overview looks, in days that end today. A year is 52 weeks, so that each step of its chart is whole. */
export const overviewPeriods = [7, 30, 90, 365] as const
export type OverviewPeriod = (typeof overviewPeriods)[number]

/** A figure of the period, and the same of the period before: just as long, and cut off at the same time of day. */
const comparedFields = { now: SumMinor, before: SumMinor }
export const Compared = closed(comparedFields)
export type Compared = Static<typeof Compared>

export const ComparedMoney = closed({ ...comparedFields, currency: Currency })
export type ComparedMoney = Static<typeof ComparedMoney>

/** One step of the charts: a day, or a week of a year. Money is in the currencies of the charts. */
export const OverviewStep = closed({
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
})
export type TopAffiliate = Static<typeof TopAffiliate>

/** What needs attention; each count belongs to a list that shows the rows behind it. */
export const Waiting = closed({
  affiliates_to_approve: Count,
  referrals_to_review: Count,
  /** Commissions whose hold ends within seven days. */
  holds_ending: Count,
  failing_endpoints: Count,
  payouts_to_send: Count,
  payouts_in_progress: Count,
  /** Of the last 30 days, where some items failed, or all. */
  payouts_partially_paid: Count,
  payouts_failed: Count,
  /** Unattributed conversions of the last 30 days. */
  unattributed_conversions: Count,
})
export type Waiting = Static<typeof Waiting>

/** The first steps of a new account, done or not. */
export const FirstSteps = closed({
  campaign: Type.Boolean(),
  affiliate: Type.Boolean(),
  api_key: Type.Boolean(),
  /** Whether the tracker on the merchant's pages has reported. */
  tracker: Type.Boolean(),
  conversion: Type.Boolean(),
})
export type FirstSteps = Static<typeof FirstSteps>

export const Overview = closed({
  from: Timestamp,
  to: Timestamp,
  step_days: Type.Unsafe<1 | 7>({ type: 'integer', enum: [1, 7] }),
  clicks: Compared,
  conversions: Compared,
  /** Sales of referred customers, before refunds, by currency; the one of the chart first. */
  revenue: Type.Array(ComparedMoney),
  /** What these sales earned, by currency of payout; the one of the chart first. */
  commissions: Type.Array(ComparedMoney),
  series: Type.Array(OverviewStep),
  /** By commissions in the first of their currencies. */
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
