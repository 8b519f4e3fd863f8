import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { changedFields } from '../shared/changed-fields.ts'

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

/** The request body of an update. */
export function changesOf(before: Fields, after: Fields) {
  return Object.fromEntries(
    Object.entries(changedFields(before, after)).map(([name, value]) => {
      const text = typeof value === 'string' ? value.trim() : value
      return [name, text === '' ? null : text]
    }),
  )
}
