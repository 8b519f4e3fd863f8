import { divideHalfEven, exponentOf } from '../../kit/money.ts'

/* Exact sums in whole units of the reporting currency, as PostgreSQL computes them. */

/** A rate has at most 20 decimals, and an amount 4. */
const SCALE = 24

/** The exact decimal that PostgreSQL wrote, in units that a sum of such decimals has no fraction of. */
export function exactOf(text: string | null): bigint {
  if (text === null) return 0n
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(SCALE, '0')}`)
}

/** For comparison only: the number that is nearest, as PostgreSQL's float8 of the same decimal. */
export const nearest = (exact: bigint) => Number(`${exact}e-${SCALE}`)

/** An exact sum in minor units, rounded half to even. */
export const roundExact = (exact: bigint, currency: string): number =>
  Number(divideHalfEven(exact * 10n ** BigInt(exponentOf(currency)), 10n ** BigInt(SCALE)))
