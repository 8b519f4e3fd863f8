import type { Db } from '../../db/database.ts'
import { type Decimal, divideDecimals, formatDecimal, parseDecimal } from '../../kit/money.ts'
import { type FxRateRow, findRate } from './fx-rate.store.ts'

/** Enough decimals to convert the largest safe integer exactly to the unit. */
const DERIVED_SCALE = 20
/** Published rates are against the euro; two of them make any other pair. */
const PIVOT = 'EUR'
const one: Decimal = { digits: 1n, scale: 0 }

export interface Rate {
  decimal: Decimal
  /** The exact decimal used in the calculation, as stored with the entry. */
  text: string
  source: string
}

const decimalOf = ({ rate }: FxRateRow): Decimal => {
  const decimal = parseDecimal(rate)
  if (!decimal) throw new Error(`The rate ${rate} is not a plain decimal.`)
  return decimal
}

const describe = ({ base, quote, day, rate, source }: FxRateRow) =>
  `${source} ${day} ${base}/${quote} ${rate}`

function derived(decimal: Decimal, rows: FxRateRow[]): Rate {
  return { decimal, text: formatDecimal(decimal), source: rows.map(describe).join(', ') }
}

/** The exchange rate on a day: direct, inverted, or through the euro. Undefined if unknown. */
export async function rateOn(db: Db, from: string, to: string, day: string): Promise<Rate | undefined> {
  const direct = await findRate(db, from, to, day)
  if (direct) return derived(decimalOf(direct), [direct])
  const inverse = await findRate(db, to, from, day)
  if (inverse) return derived(divideDecimals(one, decimalOf(inverse), DERIVED_SCALE), [inverse])
  const [pivotToFrom, pivotToTo] = [await findRate(db, PIVOT, from, day), await findRate(db, PIVOT, to, day)]
  if (!pivotToFrom || !pivotToTo) return undefined
  return derived(divideDecimals(decimalOf(pivotToTo), decimalOf(pivotToFrom), DERIVED_SCALE), [
    pivotToFrom,
    pivotToTo,
  ])
}
