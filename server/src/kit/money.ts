import { currencyCodes, decimalsOf } from '@tributary/contract/money'

const currencies = new Set(currencyCodes())

export const isCurrency = (code: string) => currencies.has(code)

/** How many decimals a currency has: 2 for USD, 0 for JPY, 3 for KWD. */
export function exponentOf(currency: string): number {
  if (!isCurrency(currency)) throw new RangeError(`${currency} is not a currency of ISO 4217.`)
  return decimalsOf(currency)
}

/** numerator / denominator, rounded half to even. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const sign = numerator < 0n !== denominator < 0n ? -1n : 1n
  const [a, b] = [abs(numerator), abs(denominator)]
  const quotient = a / b
  const twiceRest = (a % b) * 2n
  const up = twiceRest > b || (twiceRest === b && quotient % 2n === 1n)
  return sign * (up ? quotient + 1n : quotient)
}

const abs = (value: bigint) => (value < 0n ? -value : value)

/** An exact decimal: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  digits: bigint
  scale: number
}

/** Parses a plain positive decimal such as 1.0853; undefined for anything else. */
export function parseDecimal(text: string): Decimal | undefined {
  const parts = /^(\d{1,15})(?:\.(\d{1,20}))?$/.exec(text)
  if (!parts) return undefined
  const fraction = parts[2] ?? ''
  return { digits: BigInt(`${parts[1]}${fraction}`), scale: fraction.length }
}

const tenTo = (power: number) => 10n ** BigInt(power)

/** The amount in minor units of another currency, at a rate between whole units, rounded half-even once. */
export function convertMinor(amountMinor: bigint, from: string, to: string, rate: Decimal): bigint {
  return divideHalfEven(
    amountMinor * rate.digits * tenTo(exponentOf(to)),
    tenTo(rate.scale) * tenTo(exponentOf(from)),
  )
}

/** A share in basis points of an amount. */
export const shareOf = (amountMinor: bigint, basisPoints: number) =>
  divideHalfEven(amountMinor * BigInt(basisPoints), 10_000n)

/** Minor units as a plain decimal of whole units: 1234 cents are 12.34. */
export function formatMinor(amountMinor: number, currency: string): string {
  const exponent = exponentOf(currency)
  const digits = String(Math.abs(amountMinor)).padStart(exponent + 1, '0')
  const whole = digits.slice(0, digits.length - exponent)
  const sign = amountMinor < 0 ? '-' : ''
  return exponent === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-exponent)}`
}
