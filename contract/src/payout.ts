import { type Static, Type } from 'typebox'
import { Currency, closed, Id, listOf, listQuery, Minor, oneOf, Timestamp } from './fields.ts'

export const PayoutRail = oneOf(['manual', 'paypal'])
export const PayoutStatus = oneOf(['pending', 'processing', 'paid', 'partially_paid', 'failed', 'canceled'])
export const PayoutItemStatus = oneOf(['pending', 'processing', 'paid', 'failed', 'canceled'])

export const PayoutItem = closed({
  id: Id,
  affiliate_id: Id,
  amount_minor: Minor,
  currency: Currency,
  status: PayoutItemStatus,
})
export type PayoutItem = Static<typeof PayoutItem>

export const Payout = closed(
  {
    id: Id,
    campaign_id: Id,
    rail: PayoutRail,
    status: PayoutStatus,
    currency: Currency,
    total_minor: Minor,
    created_at: Timestamp,
    items: Type.Array(PayoutItem),
  },
  { description: 'A batch of payments, one item for each affiliate.' },
)
export type Payout = Static<typeof Payout>

export const PayoutList = listOf(Payout)

export const ListPayoutsQuery = listQuery({
  campaign_id: Type.Optional(Id),
  status: Type.Optional(PayoutStatus),
  rail: Type.Optional(PayoutRail),
})
export type ListPayoutsQuery = Static<typeof ListPayoutsQuery>
