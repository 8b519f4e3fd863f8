import { type Static, Type } from 'typebox'
import { Currency, closed, described, Id, listOf, listQuery, Minor, oneOf, Timestamp } from './fields.ts'

/** No payout is made over `sepa` or `wise` yet; clients may filter by them already. */
export const PayoutRail = oneOf(['manual', 'paypal', 'sepa', 'wise'])
export const PayoutStatus = oneOf(['pending', 'processing', 'paid', 'partially_paid', 'failed', 'canceled'])
/** A payment is one item of a payout. */
export const PaymentStatus = oneOf(['pending', 'processing', 'paid', 'failed', 'canceled'])
export type PaymentStatus = Static<typeof PaymentStatus>
/** What a rail or a person reports for a payment. It becomes the payment's status once it is booked in the ledger. */
export const PaymentOutcome = oneOf(['paid', 'failed', 'canceled'])
export type PaymentOutcome = Static<typeof PaymentOutcome>

export const PayoutItem = closed(
  {
    id: described(Id, 'The item'),
    affiliate_id: described(Id, 'Who is paid'),
    amount_minor: described(Minor, 'In minor units of `currency`'),
    currency: Currency,
    status: described(PaymentStatus, 'How far this payment has come'),
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
