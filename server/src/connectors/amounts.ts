import { divideHalfEven, exponentOf, isCurrency, parseDecimal } from '../kit/money.ts'

/** A currency code of ISO 4217, in upper case; undefined for anything else. */
export function currencyFrom(text: string | undefined): string | undefined {
  const code = text?.toUpperCase()
  return code !== undefined && isCurrency(code) ? code : undefined
}

/** An amount that is given in minor units. */
export function minorFromWhole(text: string | undefined): bigint | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? BigInt(text) : undefined
}

/**
 * An amount that is given in whole units, such as 12.34, in minor units. Exact: no floating point. A shop may be set to more decimals than
 * its currency has; those round half-even.
 */
export function minorFromDecimal(text: string | undefined, currency: string): bigint | undefined {
  const decimal = text === undefined ? undefined : parseDecimal(text)
  if (!decimal) return undefined
  const minor = divideHalfEven(
    decimal.digits * 10n ** BigInt(exponentOf(currency)),
    10n ** BigInt(decimal.scale),
  )
  return minor <= BigInt(Number.MAX_SAFE_INTEGER) ? minor : undefined
}

/** The base of commissions: what was paid, without its share of the taxes unless these count. */
export function baseOf(
  base: 'net' | 'gross',
  { paid, total = paid, tax }: { paid: bigint; total?: bigint; tax: bigint },
): bigint {
  if (base === 'gross' || total <= 0n) return paid
  return divideHalfEven((total - tax) * paid, total)
}

/** Whether a refund is one of taxes alone, where the provider doesn't say what it is made of: it is of exactly the taxes of the sale. */
export const isTaxAlone = (refunded: bigint | undefined, taxes: bigint | undefined): boolean =>
  taxes !== undefined && taxes > 0n && refunded === taxes
