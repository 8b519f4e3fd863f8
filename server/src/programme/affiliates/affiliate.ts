import type { Affiliate } from '@tributary/contract'

/** An affiliate as its store returns it. */
export type AffiliateRow = Affiliate
export type AffiliateStatus = Affiliate['status']

/** Why an affiliate was rejected, and whether they see it. */
export interface Rejection {
  reason: string
  isShared: boolean
}

/** The fields of an affiliate that a merchant can set, apart from its status. */
export interface AffiliateDetails {
  email: string
  name: string | null
  kind: Affiliate['kind']
  token: string
  coupon_code: string | null
  paypal_email: string | null
  tags: string[]
}

/** Coupon codes are case-insensitive. */
export const couponCodeKey = (code: string) => code.normalize('NFC').toLowerCase()

/** Removes duplicate tags. */
export const foldTags = (tags: string[]) => [...new Set(tags)]
