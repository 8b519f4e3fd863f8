import { type Static, Type } from 'typebox'
import { closed, described, Id, listOf, listQuery, nullable, oneOf, Timestamp } from './fields.ts'

export const ReferralStatus = oneOf(['pending_review', 'approved', 'rejected'])

export const Referral = closed(
  {
    id: described(Id, 'ID of the referral'),
    campaign_id: described(Id, 'ID of the campaign'),
    affiliate_id: described(Id, 'ID of the credited affiliate'),
    customer_ref: Type.String({ description: 'Your ID for the customer' }),
    subscription_ref: nullable(Type.String({ description: 'Your ID for the subscription' })),
    status: described(ReferralStatus, 'Commissions are payable only if approved'),
    is_test: Type.Boolean({ description: 'Whether it was reported as a test, which is never paid' }),
    occurred_at: described(Timestamp, 'When the customer converted'),
    created_at: Timestamp,
  },
  { description: 'A conversion attributed to an affiliate.' },
)
export type Referral = Static<typeof Referral>

export const ReferralList = listOf(Referral)

export const ListReferralsQuery = listQuery({
  campaign_id: Type.Optional(described(Id, 'Only referrals of this campaign')),
  affiliate_id: Type.Optional(described(Id, 'Only referrals of this affiliate')),
  status: Type.Optional(described(ReferralStatus, 'Only referrals with this status')),
  customer_ref: Type.Optional(Type.String({ description: 'Only referrals of this customer' })),
  is_test: Type.Optional(
    Type.Boolean({ description: '`true` for test referrals only, `false` for all others; both by default' }),
  ),
})
export type ListReferralsQuery = Static<typeof ListReferralsQuery>
