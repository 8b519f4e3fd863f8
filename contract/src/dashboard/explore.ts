import { type Static, Type } from 'typebox'
import { Count, Currency, closed, Day, Id, nullable, SumMinor, TimeZone } from '../fields.ts'
import {
  cohortMonths,
  exploreComparisons,
  exploreDimensions,
  exploreSorts,
  exploreSources,
  listSorts,
} from './explore-dimensions.ts'
import { presets } from './ranges.ts'
import { file, read } from './schema.ts'
import { Sum } from './sum.ts'

const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] })

export const ExploredMoney = closed({
  currency: Currency,
  /** Sales of referred customers before refunds. */
  revenue_minor: SumMinor,
  refunded_minor: SumMinor,
  commissions_minor: SumMinor,
})
export type ExploredMoney = Static<typeof ExploredMoney>

/** Amounts of all currencies in the account's reporting currency, each at the rate of its day. */
export const ConvertedMoney = closed({
  ...ExploredMoney.properties,
  /** What is not in them, since no rate is known for its day. */
  without_rate: Type.Array(ExploredMoney),
})
export type ConvertedMoney = Static<typeof ConvertedMoney>

export const ExploredSums = closed({
  clicks: Count,
  unique_clicks: Count,
  leads: Count,
  conversions: Count,
  /** Customers with their first sale. */
  customers: Count,
  sales: Count,
  refunds: Count,
  money: Type.Array(ExploredMoney),
  /** Null without a reporting currency. */
  converted: nullable(ConvertedMoney),
})
export type ExploredSums = Static<typeof ExploredSums>

/** The days that a list's figures are of. */
export const ListedPeriod = closed({
  from: Day,
  to: Day,
  /**
   * The reporting currency. Without one, the currency with the most sales and commissions, if the list is sorted by an amount: those in
   * others don't count for the order.
   */
  currency: nullable(Currency),
})
export type ListedPeriod = Static<typeof ListedPeriod>

/** With either, the rows of a list have figures; of the last 30 days if only the order is given. */
export const performanceQuery = {
  period: Type.Optional(oneOf(presets)),
  sort: Type.Optional(oneOf(listSorts)),
}

export const ExploredRow = closed({
  /** A day, an id or a value. */
  key: Type.String(),
  label: Type.String(),
  now: ExploredSums,
  /** Null in a breakdown by time, whose steps have no counterpart. */
  before: nullable(ExploredSums),
})
export type ExploredRow = Static<typeof ExploredRow>

export const Exploration = closed({
  /** What it is broken down by. */
  by: oneOf(exploreDimensions),
  time_zone: TimeZone,
  /** The account's current day, which is not over. */
  today: Day,
  from: Day,
  to: Day,
  before: closed({ from: Day, to: Day }),
  /** What rows are sorted by: the reporting currency, or else the one with the most sales and commissions. */
  currency: nullable(Currency),
  /** The name of the source that was asked for. */
  source_label: nullable(Type.String()),
  /** Null by source, which isn't counted by affiliate. */
  active_affiliates: nullable(closed({ now: Count, before: Count })),
  total: closed({ now: ExploredSums, before: ExploredSums }),
  rows: Type.Array(ExploredRow),
  /** Rows beyond the limit, whose sums are in the total. */
  left_out: Count,
})
export type Exploration = Static<typeof Exploration>

/** One month of the customers who first bought in a month. */
export const CohortMonth = closed({
  /** Customers who bought in it. */
  buyers: Count,
  /** Revenue without refunds since their first sale, until its end. */
  cumulated_minor: SumMinor,
  /** What was converted to get that, by currency; empty without a reporting currency. */
  original: Type.Array(Sum),
  /** Whether the customers' whole revenue is in it. Otherwise it has no average: amounts in another currency, or without a rate, are left out. */
  is_whole: Type.Boolean(),
})
export type CohortMonth = Static<typeof CohortMonth>

export const Cohort = closed({
  /** The first day of the month of their first sale. */
  month: Day,
  customers: Count,
  /** That month first, and every one until now. */
  months: Type.Array(CohortMonth),
})
export type Cohort = Static<typeof Cohort>

export const Cohorts = closed({
  time_zone: TimeZone,
  /** The account's current day: its month is not over. */
  today: Day,
  /** What amounts are in: the reporting currency, or else the one with the most revenue. Null without any sale. */
  currency: nullable(Currency),
  is_converted: Type.Boolean(),
  /** Currencies with sales that are not in the amounts: without a rate, or without a reporting currency. */
  left_out: Type.Array(Currency),
  /** The newest first. */
  data: Type.Array(Cohort),
})
export type Cohorts = Static<typeof Cohorts>

const cohorts = {
  /** How many months, the current one included. */
  months: Type.Optional(
    Type.Unsafe<(typeof cohortMonths)[number]>({ type: 'integer', enum: [...cohortMonths] }),
  ),
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
}

/** Only clicks with this value of the dimension `source`, and what the customers whom they won have bought. */
export const sourceQuery = {
  source: Type.Optional(oneOf(exploreSources)),
  source_value: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
}

const breakdown = {
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  by: Type.Optional(oneOf(exploreDimensions)),
  sort: Type.Optional(oneOf(exploreSorts)),
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  ...sourceQuery,
}

export const exploreSchemas = {
  explore: read(Exploration, closed({ ...breakdown, compare: Type.Optional(oneOf(exploreComparisons)) })),
  exportExploration: file(closed(breakdown)),
  getCohorts: read(Cohorts, closed(cohorts)),
  downloadCohorts: file(closed(cohorts)),
}
