import { type Static, Type } from 'typebox'
import { Currency, closed, described, Id, listOf, listQuery, Minor, oneOf, Timestamp } from './fields.ts'

/** No payout is made over `sepa` or `wise` yet; clients may filter by them already. */
export const PayoutRail = oneOf(['manual', 'paypal', 'sepa', 'wise'])
export const PayoutStatus = oneOf(['pending', 'processing', 'paid', 'partially_paid', 'failed', 'canceled'])
export const PayoutItemStatus = oneOf(['pending', 'processing', 'paid', 'failed', 'canceled'])

export const PayoutItem = closed(
  {
    id: described(Id, 'The item'),
    affiliate_id: described(Id, 'Who is paid'),
    amount_minor: described(Minor, 'In minor units of `currency`'),
    currency: Currency,
    status: described(PayoutItemStatus, 'How far this payment has come'),
  },
  { description: 'The payment to one affiliate.' },
)
export type PayoutItem = Static<typeof PayoutItem>

export const Payout = closed(
  {
    id: described(Id, 'The batch'),
    campaign_id: described(Id, 'Its campaign'),
    rail: described(PayoutRail, 'How the money leaves'),
    status: described(PayoutStatus, 'How far the batch has come'),
    currency: Currency,
    total_minor: described(Minor, 'The sum of its items, in minor units of `currency`'),
    created_at: Timestamp,
    items: Type.Array(PayoutItem, { description: 'One for each affiliate' }),
  },
  { description: 'A batch of payments, one item for each affiliate.' },
)
export type Payout = Static<typeof Payout>

export const PayoutList = listOf(Payout)

export const ListPayoutsQuery = listQuery({
  campaign_id: Type.Optional(described(Id, 'Of this campaign')),
  status: Type.Optional(described(PayoutStatus, 'In this status')),
  rail: Type.Optional(described(PayoutRail, 'On this rail')),
})
export type ListPayoutsQuery = Static<typeof ListPayoutsQuery>
