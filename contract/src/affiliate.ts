import { type Static, Type } from 'typebox'
import { closed, Email, Id, listOf, listQuery, nullable, oneOf, Timestamp } from './fields.ts'

export const AffiliateStatus = oneOf(['pending', 'approved', 'rejected'])
export const AffiliateKind = oneOf(['affiliate', 'customer'])

export const Affiliate = closed(
  {
    id: Id,
    campaign_ids: Type.Array(Id, {
      description: 'Campaigns the affiliate is enrolled in, first enrolment first',
    }),
    email: Type.String(),
    name: nullable(Type.String()),
    status: AffiliateStatus,
    kind: AffiliateKind,
    token: Type.String({ description: 'Names the affiliate in links' }),
    coupon_code: nullable(Type.String()),
    paypal_email: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    created_at: Timestamp,
  },
  { description: 'A person or company that promotes; one per email in the account.' },
)
export type Affiliate = Static<typeof Affiliate>

export const AffiliateList = listOf(Affiliate)

const Name = Type.String({ minLength: 1, maxLength: 255 })
const Token = Type.String({
  pattern: '^[A-Za-z0-9_-]{3,64}$',
  description: '3 to 64 of A-Z, a-z, 0-9, _ and -; unique in the account',
})
const CouponCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Unique in the account, whatever its case',
})
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 50,
  description: 'Duplicates are folded',
})

export const CreateAffiliate = closed({
  email: Email,
  campaign_id: Type.Integer({ ...Id, description: 'The campaign to enrol in' }),
  name: Type.Optional(nullable(Name)),
  kind: Type.Optional(AffiliateKind),
  token: Type.Optional(Token),
  coupon_code: Type.Optional(nullable(CouponCode)),
  paypal_email: Type.Optional(nullable(Email)),
  tags: Type.Optional(Tags),
})
export type CreateAffiliate = Static<typeof CreateAffiliate>

export const UpdateAffiliate = Type.Object(
  {
    status: Type.Optional(oneOf(['approved', 'rejected'])),
    name: Type.Optional(nullable(Name)),
    email: Type.Optional(Email),
    kind: Type.Optional(AffiliateKind),
    token: Type.Optional(Token),
    coupon_code: Type.Optional(nullable(CouponCode)),
    paypal_email: Type.Optional(nullable(Email)),
    tags: Type.Optional(Tags),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type UpdateAffiliate = Static<typeof UpdateAffiliate>

export const ListAffiliatesQuery = listQuery({
  campaign_id: Type.Optional(Id),
  status: Type.Optional(AffiliateStatus),
  email: Type.Optional(Type.String({ description: 'Compared without regard to case' })),
  tag: Type.Optional(Type.String()),
  kind: Type.Optional(AffiliateKind),
})
export type ListAffiliatesQuery = Static<typeof ListAffiliatesQuery>
