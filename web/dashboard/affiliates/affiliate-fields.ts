import type { AffiliateDetail } from '@tributary/contract/dashboard'

/** The initial values of the affiliate form. */
export const fieldsOf = (
  affiliate: Pick<
    AffiliateDetail,
    'name' | 'email' | 'kind' | 'token' | 'coupon_code' | 'paypal_email' | 'tags'
  >,
) => ({
  name: affiliate.name ?? '',
  email: affiliate.email,
  kind: affiliate.kind,
  token: affiliate.token,
  coupon_code: affiliate.coupon_code ?? '',
  paypal_email: affiliate.paypal_email ?? '',
  tags: affiliate.tags,
})
export type Fields = ReturnType<typeof fieldsOf>

/** Only changed fields are sent, so that two users who edit different fields don't overwrite each other. */
export function changesOf(before: Fields, after: Fields) {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fields]),
  )
  return Object.fromEntries(
    changed.map(([name, value]) => {
      const text = typeof value === 'string' ? value.trim() : value
      return [name, text === '' ? null : text]
    }),
  )
}
