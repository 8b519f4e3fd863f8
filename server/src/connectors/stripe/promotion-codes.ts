import type Stripe from 'stripe'
import { conflict } from '../../kit/domain-error.ts'
import type { CodesApi, NewCode, ProviderCode } from '../provider.ts'
import { idOf } from './objects.ts'
import { calling, clientOf, isRejected } from './stripe-client.ts'

const LISTED = 100

/** Says which of our codes this is: found again when Stripe has forgotten the idempotency key, after a day. */
const KEY = 'tributary_key'

const codeOf = ({ id, code, active, promotion, metadata }: Stripe.PromotionCode): ProviderCode => ({
  id,
  code,
  coupon: idOf(promotion.coupon) ?? null,
  isActive: active,
  key: metadata?.[KEY],
})

const named = async (stripe: Stripe, code: string) =>
  (await stripe.promotionCodes.list({ code, limit: LISTED })).data.map(codeOf)

/** Of codes that exist already, the one of an earlier call, or one that the merchant made for the same coupon. Another affiliate's is not. */
function existing(codes: ProviderCode[], { key, coupon, code }: NewCode): ProviderCode | undefined {
  const ours = codes.find(each => each.key === key)
  const active = codes.find(({ isActive }) => isActive)
  if (ours || !active) return ours
  if (active.key === undefined && active.coupon === coupon) return active
  throw conflict(`The code ${code} exists at Stripe already, for another coupon or affiliate.`)
}

async function create(api: Parameters<CodesApi['create']>[0], wanted: NewCode): Promise<ProviderCode> {
  const stripe = clientOf(api)
  const { code, coupon, key, affiliateId } = wanted
  try {
    const made = await stripe.promotionCodes.create(
      {
        promotion: { type: 'coupon', coupon },
        code,
        metadata: { [KEY]: key, tributary_affiliate_id: String(affiliateId) },
      },
      { idempotencyKey: `tributary-code-${key}` },
    )
    return codeOf(made)
  } catch (error) {
    if (!isRejected(error)) throw error
    const found = existing(await named(stripe, code), wanted)
    if (!found) throw error
    return found
  }
}

/** Promotion codes of Stripe. */
export const stripeCodes: CodesApi = {
  assertCoupon: (api, coupon) => calling(async () => void (await clientOf(api).coupons.retrieve(coupon))),
  list: api =>
    calling(async () => {
      const { data } = await clientOf(api).promotionCodes.list({ active: true, limit: LISTED })
      return data.map(codeOf)
    }),
  find: (api, id) => calling(async () => codeOf(await clientOf(api).promotionCodes.retrieve(id))),
  findOurs: (api, { code, key }) =>
    calling(async () => (await named(clientOf(api), code)).find(each => each.key === key)),
  create: (api, wanted) => calling(() => create(api, wanted)),
  setActive: (api, id, isActive) =>
    calling(async () => void (await clientOf(api).promotionCodes.update(id, { active: isActive }))),
}
