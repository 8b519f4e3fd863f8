import { type Static, Type } from 'typebox'
import { overviewPeriods } from '../dashboard/overview.ts'
import {
  Count,
  Currency,
  closed,
  Day,
  Id,
  Minor,
  nullable,
  SumMinor,
  Timestamp,
  TimeZone,
} from '../fields.ts'

/** Commissions on hold, and when they clear; `day` is that of `until` in the account's time zone. */
export const Hold = closed({ day: Day, until: Timestamp, count: Count, amount_minor: SumMinor })
export type Hold = Static<typeof Hold>

/** The earnings from one campaign, in its currency. `earned` = `pending` + `approved` + `in_payout` + `paid`. */
export const Earnings = closed({
  campaign_id: Id,
  campaign_name: Type.String(),
  currency: Currency,
  earned_minor: SumMinor,
  pending_minor: SumMinor,
  /** The part of pending whose referral is in review. */
  in_review_minor: SumMinor,
  /** The part of pending that is on hold, by the date it clears. */
  holds: Type.Array(Hold),
  approved_minor: SumMinor,
  /** In a payout that has not settled. */
  in_payout_minor: SumMinor,
  paid_minor: SumMinor,
  /** Credit, which is never paid out. */
  credit_minor: SumMinor,
  minimum_payout_minor: Minor,
  hold_days: Type.Integer(),
})
export type Earnings = Static<typeof Earnings>

export const HomeStep = closed({
  day: Day,
  from: Timestamp,
  clicks: Count,
  conversions: Count,
  earned_minor: SumMinor,
})
export type HomeStep = Static<typeof HomeStep>

export const Home = closed({
  /** The company's time zone, which decides the days. */
  time_zone: TimeZone,
  earnings: Type.Array(Earnings),
  /** Sales whose currency has no exchange rate yet; they earn when it arrives. */
  awaiting_rate: Count,
  from: Timestamp,
  step_days: Type.Unsafe<1 | 7>({ type: 'integer', enum: [1, 7] }),
  /** The currency of the chart; null when nothing has been earned yet. */
  currency: nullable(Currency),
  clicks: Count,
  conversions: Count,
  series: Type.Array(HomeStep),
})
export type Home = Static<typeof Home>

export const homeQuery = closed({
  days: Type.Optional(
    Type.Unsafe<(typeof overviewPeriods)[number]>({ type: 'integer', enum: [...overviewPeriods] }),
  ),
})
