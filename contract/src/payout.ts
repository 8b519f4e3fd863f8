import { type Static, Type } from 'typebox'
import { Currency, closed, described, Id, listOf, listQuery, Minor, oneOf, Timestamp } from './fields.ts'

/** `sepa` and `wise` are reserved: no payout uses them yet, but clients can filter by them. */
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
    id: described(Id, 'ID of the payment'),
    affiliate_id: described(Id, 'ID of the affiliate'),
    amount_minor: described(Minor, 'Amount in minor units of `currency`'),
    currency: Currency,
    status: described(PaymentStatus, 'Status of this payment'),
  },
  { description: 'A payment to one affiliate.' },
)
export type PayoutItem = Static<typeof PayoutItem>

export const Payout = closed(
  {
    id: described(Id, 'ID of the payout'),
    campaign_id: described(Id, 'ID of the campaign'),
    rail: described(PayoutRail, 'Payout method'),
    status: described(PayoutStatus, 'Status of the payout'),
    currency: Currency,
    total_minor: described(Minor, 'Sum of all payments, in minor units of `currency`'),
    created_at: Timestamp,
    items: Type.Array(PayoutItem, { description: 'One payment per affiliate' }),
  },
  { description: 'A batch of payments, one per affiliate.' },
)
export type Payout = Static<typeof Payout>

export const PayoutList = listOf(Payout)

export const ListPayoutsQuery = listQuery({
  campaign_id: Type.Optional(described(Id, 'Only payouts of this campaign')),
  status: Type.Optional(described(PayoutStatus, 'Only payouts with this status')),
  rail: Type.Optional(described(PayoutRail, 'Only payouts with this payout method')),
})
export type ListPayoutsQuery = Static<typeof ListPayoutsQuery>
