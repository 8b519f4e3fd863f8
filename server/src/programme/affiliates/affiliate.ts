import type { Affiliate } from '@tributary/contract'

/** An affiliate as its store returns it. */
export type AffiliateRow = Affiliate
export type AffiliateStatus = Affiliate['status']

/** What a merchant may say about an affiliate, apart from its status. */
export interface AffiliateDetails {
  email: string
  name: string | null
  kind: Affiliate['kind']
  token: string
  coupon_code: string | null
  paypal_email: string | null
  tags: string[]
}

/** Customers type codes in any case. */
export const couponCodeKey = (code: string) => code.normalize('NFC').toLowerCase()

/** Tags are labels: saying one twice is saying it once. */
export const foldTags = (tags: string[]) => [...new Set(tags)]
