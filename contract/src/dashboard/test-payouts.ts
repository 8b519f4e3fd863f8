import { type Static, Type } from 'typebox'
import { Count, Currency, closed, Id, Minor, nullable, SumMinor, Timestamp } from '../fields.ts'
import { allOf, change, read } from './schema.ts'

/** What an affiliate would have been paid. No money is sent, and their balance does not change. */
export const TestPayment = closed({
  affiliate_id: Id,
  email: Type.String(),
  name: nullable(Type.String()),
  amount_minor: SumMinor,
})
export type TestPayment = Static<typeof TestPayment>

/** A payout of test commissions, complete as soon as it is created. It is not among the payouts. */
export const TestPayout = closed({
  id: Id,
  currency: Currency,
  created_at: Timestamp,
  total_minor: SumMinor,
  payment_count: Count,
  /** The first of them. */
  payments: Type.Array(TestPayment),
})
export type TestPayout = Static<typeof TestPayout>

export const TestPayouts = closed({
  currency: Currency,
  /** What a payout that isn't a test waits for, and a test payout skips. */
  hold_days: Count,
  minimum_payout_minor: Minor,
  /** Test commissions that are in no test payout yet. */
  open: closed({ payment_count: Count, total_minor: SumMinor }),
  /** The newest. */
  data: Type.Array(TestPayout),
})
export type TestPayouts = Static<typeof TestPayouts>

/** A test payout among those of all campaigns. */
export const RecentTestPayout = closed({
  id: Id,
  campaign_id: Id,
  campaign_name: Type.String(),
  currency: Currency,
  created_at: Timestamp,
  total_minor: SumMinor,
  payment_count: Count,
})
export type RecentTestPayout = Static<typeof RecentTestPayout>

export const testPayoutsSchemas = {
  /** The newest. */
  listRecentTestPayouts: read(allOf(RecentTestPayout), closed({ campaign_id: Type.Optional(Id) })),
  listTestPayouts: read(TestPayouts, closed({ campaign_id: Id })),
  createTestPayout: change(
    closed({ campaign_id: Id }),
    closed({ id: Id, payment_count: Count, total_minor: SumMinor }),
  ),
}
