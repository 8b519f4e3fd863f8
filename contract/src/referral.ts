import { type Static, Type } from 'typebox'
import { closed, Id, listOf, listQuery, nullable, oneOf, Timestamp } from './fields.ts'

export const ReferralStatus = oneOf(['pending_review', 'approved', 'rejected'])

export const Referral = closed(
  {
    id: Id,
    campaign_id: Id,
    affiliate_id: Id,
    customer_ref: Type.String(),
    subscription_ref: nullable(Type.String()),
    status: ReferralStatus,
    is_test: Type.Boolean(),
    occurred_at: Timestamp,
    created_at: Timestamp,
  },
  { description: 'A conversion attributed to an affiliate.' },
)
export type Referral = Static<typeof Referral>

export const ReferralList = listOf(Referral)

export const ListReferralsQuery = listQuery({
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  status: Type.Optional(ReferralStatus),
  customer_ref: Type.Optional(Type.String()),
  is_test: Type.Optional(Type.Boolean()),
})
export type ListReferralsQuery = Static<typeof ListReferralsQuery>
