import type { Exclusion } from '@tributary/contract/dashboard'
import { id, isSet, oneOf, searchOf, text } from '../shared/search.ts'

export const payoutStatuses = [
  'pending',
  'processing',
  'paid',
  'partially_paid',
  'failed',
  'canceled',
] as const
export const itemStatuses = ['pending', 'processing', 'paid', 'failed', 'canceled'] as const
export const offeredRails = ['manual', 'paypal'] as const

const exclusions: readonly Exclusion[] = [
  'below_minimum',
  'in_review',
  'on_hold',
  'no_payout_address',
  'out_of_range',
  'negative_balance',
  'not_approved',
  'test_only',
]

export const payoutsSearch = searchOf({
  q: text,
  status: oneOf(payoutStatuses),
  campaign_id: id,
  rail: oneOf(offeredRails),
  is_recent: isSet,
})

export const payoutSearch = searchOf({ status: oneOf(itemStatuses), affiliate_id: id })

export const newPayoutSearch = searchOf({
  campaign_id: id,
  rail: oneOf(offeredRails),
  cut_off: text,
  tab: oneOf(['excluded']),
  reason: oneOf(exclusions),
})
