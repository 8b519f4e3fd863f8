import { type Static, Type } from 'typebox'
import { closed, described, Id, listOf, listQuery, nullable, oneOf, Timestamp } from './fields.ts'

export const ReferralStatus = oneOf(['pending_review', 'approved', 'rejected'])

export const Referral = closed(
  {
    id: described(Id, 'The referral'),
    campaign_id: described(Id, 'Its campaign'),
    affiliate_id: described(Id, 'Who gets the credit'),
    customer_ref: Type.String({ description: 'The merchant’s name for the customer' }),
    subscription_ref: nullable(Type.String({ description: 'The merchant’s name for the subscription' })),
    status: described(ReferralStatus, 'Whether it counts'),
    is_test: Type.Boolean({ description: 'Reported as a test; never paid' }),
    occurred_at: described(Timestamp, 'When the customer converted'),
    created_at: Timestamp,
  },
  { description: 'A conversion attributed to an affiliate.' },
)
export type Referral = Static<typeof Referral>

export const ReferralList = listOf(Referral)

export const ListReferralsQuery = listQuery({
  campaign_id: Type.Optional(described(Id, 'Of this campaign')),
  affiliate_id: Type.Optional(described(Id, 'Of this affiliate')),
  status: Type.Optional(described(ReferralStatus, 'In this status')),
  customer_ref: Type.Optional(Type.String({ description: 'Of this customer' })),
  is_test: Type.Optional(Type.Boolean({ description: 'Tests only, or none' })),
})
export type ListReferralsQuery = Static<typeof ListReferralsQuery>
