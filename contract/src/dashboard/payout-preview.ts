import { type Static, Type } from 'typebox'
import {
  Count,
  Currency,
  closed,
  Id,
  Minor,
  nullable,
  oneOf,
  SumMinor,
  Timestamp,
  TimeZone,
} from '../fields.ts'
import { PayoutRail } from '../payout.ts'
import { pageOf } from './schema.ts'

export const exclusions = [
  'test_only',
  'not_approved',
  'in_review',
  'on_hold',
  'negative_balance',
  'below_minimum',
  'no_payout_address',
  'out_of_range',
] as const
/** Why an affiliate is excluded. */
export type Exclusion = (typeof exclusions)[number]

/** An affiliate's payment in a dry run, or why the affiliate is excluded. */
export const PreviewRow = closed({
  /** The affiliate's ID. */
  id: Id,
  email: Type.String(),
  name: nullable(Type.String()),
  /** Null if the affiliate is excluded. */
  item: nullable(closed({ amount_minor: Minor, payout_address: nullable(Type.String()), entries: Count })),
  reason: nullable(oneOf(exclusions)),
  /** The balance in this campaign: payable, on hold, in review, or in another payout. */
  balance_minor: SumMinor,
  payable_minor: SumMinor,
  on_hold_minor: SumMinor,
  in_review_minor: SumMinor,
  in_payout_minor: SumMinor,
})
export type PreviewRow = Static<typeof PreviewRow>

const excludedCount = Type.Optional(Count)

/** A dry run. `data` is one page of its affiliates; the totals cover all of them. */
export const PayoutPreviewPage = closed({
  ...pageOf(PreviewRow).properties,
  campaign_id: Id,
  rail: PayoutRail,
  currency: Currency,
  cut_off: Timestamp,
  /** The account's, in which the cut-off is shown. */
  time_zone: TimeZone,
  minimum_payout_minor: Minor,
  total_minor: SumMinor,
  items: Count,
  excluded: closed(
    Object.fromEntries(exclusions.map(reason => [reason, excludedCount])) as Record<
      Exclusion,
      typeof excludedCount
    >,
  ),
  digest: Type.String(),
  has_paypal: Type.Boolean(),
})
export type PayoutPreviewPage = Static<typeof PayoutPreviewPage>
