import { Type } from 'typebox'
import { closed, Id } from '../fields.ts'
import { read, resultOf } from './schema.ts'

/** How far back the overview looks, in days that end today. A year is 52 weeks, so that each step of its chart is whole. */
export const overviewPeriods = [7, 30, 90, 365] as const
export type OverviewPeriod = (typeof overviewPeriods)[number]

/** A figure of the period, and the same of the period before: just as long, and cut off at the same time of day. */
export interface Compared {
  now: number
  before: number
}

export interface ComparedMoney extends Compared {
  currency: string
}

/** One step of the charts: a day, or a week of a year. Money is in the currencies of the charts. */
export interface OverviewStep {
  from: string
  clicks: number
  conversions: number
  revenue_minor: number
  commissions_minor: number
}

export interface TopAffiliate {
  id: number
  name: string | null
  email: string
  sales: number
  commissions_minor: number
}

/** What somebody has to look at; each figure belongs to a list that shows what is behind it. */
export interface Waiting {
  affiliates_to_approve: number
  referrals_to_review: number
  /** Commissions whose hold ends within seven days. */
  holds_ending: number
  failing_endpoints: number
  payouts_to_send: number
  payouts_in_progress: number
  /** Of the last 30 days, where some items failed, or all. */
  payouts_partially_paid: number
  payouts_failed: number
  /** Conversions of the last 30 days that nobody was credited for. */
  unattributed_conversions: number
}

/** The first steps of a new account, done or not. */
export interface FirstSteps {
  campaign: boolean
  affiliate: boolean
  api_key: boolean
  /** Whether the tracker on the merchant's pages has spoken. */
  tracker: boolean
  conversion: boolean
}

export interface Overview {
  from: string
  to: string
  step_days: 1 | 7
  clicks: Compared
  conversions: Compared
  /** Sales of referred customers, before refunds, by currency; the one of the chart first. */
  revenue: ComparedMoney[]
  /** What these sales earned, by currency of payout; the one of the chart first. */
  commissions: ComparedMoney[]
  series: OverviewStep[]
  /** By commissions in the first of their currencies. */
  top_affiliates: TopAffiliate[]
  waiting: Waiting
  first_steps: FirstSteps
}

export const overviewSchemas = {
  getOverview: read(
    resultOf<Overview>(),
    closed({
      days: Type.Optional(Type.Unsafe<OverviewPeriod>({ type: 'integer', enum: [...overviewPeriods] })),
      campaign_id: Type.Optional(Id),
    }),
  ),
}
