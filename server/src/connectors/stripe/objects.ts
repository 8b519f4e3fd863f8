import { decimalsOf } from '@tributary/contract/money'
import type Stripe from 'stripe'
import { divideHalfEven } from '../../kit/money.ts'

export { evidenceIn, ignoredReading, withCodes } from '../evidence.ts'

/** Fields of older API versions, which an account's webhook endpoint may still be pinned to. */
export interface LegacyInvoice {
  charge?: string | null
  payment_intent?: string | null
  subscription?: string | null
  subscription_details?: { metadata?: Stripe.Metadata | null } | null
  tax?: number | null
}

export const externalId = (id: string) => `stripe:${id}`
export const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/** The ID of an object that may be expanded. */
export const idOf = (ref: string | { id: string } | null | undefined): string | undefined =>
  typeof ref === 'string' ? ref : ref?.id

/** Currencies whose amounts Stripe gives with other decimals than ISO 4217 has. */
const stripeDecimals: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 }

/** An amount of Stripe in minor units of ISO 4217. */
export function minorOf(amount: number, currency: string): bigint {
  const code = currency.toUpperCase()
  const [given, wanted] = [stripeDecimals[code], decimalsOf(code)]
  if (given === undefined || given === wanted) return BigInt(amount)
  return given > wanted
    ? divideHalfEven(BigInt(amount), 10n ** BigInt(given - wanted))
    : BigInt(amount) * 10n ** BigInt(wanted - given)
}

/** An amount in minor units of ISO 4217 as Stripe wants it. */
export function stripeAmountOf(minor: bigint, currency: string): number {
  const [given, wanted] = [decimalsOf(currency), stripeDecimals[currency] ?? decimalsOf(currency)]
  return Number(
    given > wanted
      ? divideHalfEven(minor, 10n ** BigInt(given - wanted))
      : minor * 10n ** BigInt(wanted - given),
  )
}

interface Discounted {
  coupon?: string | Stripe.Coupon | null
  promotion_code?: string | Stripe.PromotionCode | null
  source?: { coupon?: string | Stripe.Coupon | null }
}

/** The codes of discounts: what the customer typed, else the IDs. A merchant may have named a coupon like an affiliate's code. */
export function codesOf(
  discounts: (string | Discounted | { deleted?: unknown })[] | null | undefined,
): string[] {
  const codes = (discounts ?? []).flatMap(discount => {
    if (typeof discount === 'string') return []
    const { coupon, promotion_code, source } = discount as Discounted
    const typed = typeof promotion_code === 'object' ? promotion_code?.code : undefined
    const behind = coupon ?? source?.coupon
    return [typed, idOf(promotion_code), idOf(behind), typeof behind === 'object' ? behind?.name : undefined]
  })
  return [...new Set(codes.filter(code => typeof code === 'string'))]
}
