import { type Static, Type } from 'typebox'
import {
  closed,
  described,
  Email,
  Id,
  listOf,
  listQuery,
  nullable,
  OneLine,
  oneOf,
  Timestamp,
} from './fields.ts'

export const AffiliateStatus = oneOf(['pending', 'approved', 'rejected'])
export const AffiliateKind = oneOf(['affiliate', 'customer'])

export const Affiliate = closed(
  {
    id: described(Id, 'The affiliate'),
    campaign_ids: Type.Array(Id, {
      description: 'Campaigns the affiliate is enrolled in, first enrolment first',
    }),
    email: Type.String({ description: 'As first written; compared without regard to case' }),
    name: nullable(Type.String({ description: 'Name of the person or company' })),
    status: described(AffiliateStatus, 'Whether the merchant has let the affiliate in'),
    kind: described(AffiliateKind, 'A partner, or a customer who recommends'),
    token: Type.String({ description: 'Names the affiliate in links' }),
    coupon_code: nullable(Type.String({ description: 'A sale with this code is the affiliate’s' })),
    paypal_email: nullable(Type.String({ description: 'Where PayPal payouts go' })),
    tags: Type.Array(Type.String(), { description: 'Labels of the merchant' }),
    created_at: Timestamp,
  },
  { description: 'A person or company that promotes; one per email in the account.' },
)
export type Affiliate = Static<typeof Affiliate>

export const AffiliateList = listOf(Affiliate)

const Name = OneLine(255, { description: 'Name of the person or company' })
const Token = Type.String({
  pattern: '^[A-Za-z0-9_-]{3,64}$',
  description: '3 to 64 of A-Z, a-z, 0-9, _ and -; unique in the account',
})
const CouponCode = OneLine(64, { description: 'Unique in the account, whatever its case' })
const Tags = Type.Array(OneLine(64), {
  maxItems: 50,
  description: 'Duplicates are folded',
})

export const CreateAffiliate = closed({
  email: described(Email, 'An email address; one that is known already is enrolled, not created'),
  campaign_id: Type.Integer({ ...Id, description: 'The campaign to enrol in' }),
  name: Type.Optional(nullable(Name)),
  kind: Type.Optional(described(AffiliateKind, '`affiliate` where it is not given')),
  token: Type.Optional(
    described(
      Token,
      '3 to 64 of A-Z, a-z, 0-9, _ and -; unique in the account; generated where it is not given',
    ),
  ),
  coupon_code: Type.Optional(nullable(CouponCode)),
  paypal_email: Type.Optional(nullable(described(Email, 'An email address; PayPal payouts go there'))),
  tags: Type.Optional(Tags),
})
export type CreateAffiliate = Static<typeof CreateAffiliate>

export const UpdateAffiliate = Type.Object(
  {
    status: Type.Optional(
      oneOf(['approved', 'rejected'], 'Approves or rejects; the two may follow each other'),
    ),
    name: Type.Optional(nullable(Name)),
    email: Type.Optional(Email),
    kind: Type.Optional(described(AffiliateKind, 'A partner, or a customer who recommends')),
    token: Type.Optional(Token),
    coupon_code: Type.Optional(nullable(CouponCode)),
    paypal_email: Type.Optional(nullable(Email)),
    tags: Type.Optional(Tags),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type UpdateAffiliate = Static<typeof UpdateAffiliate>

export const ListAffiliatesQuery = listQuery({
  campaign_id: Type.Optional(described(Id, 'Enrolled in this campaign')),
  status: Type.Optional(described(AffiliateStatus, 'In this status')),
  email: Type.Optional(Type.String({ description: 'Compared without regard to case' })),
  tag: Type.Optional(Type.String({ description: 'With this tag' })),
  kind: Type.Optional(described(AffiliateKind, 'Of this kind')),
})
export type ListAffiliatesQuery = Static<typeof ListAffiliatesQuery>
