import pg from 'pg'

const { builtins, getTypeParser } = pg.types
const INT8_ARRAY = 1016

/** Identifiers and money are bound to ±(2^53 − 1) by constraints; a larger value would be a fault, never rounded. */
function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} is beyond the integers that JSON carries exactly.`)
  return value
}

/**
 * Sums are numeric: they have room for anything, and are only shown. One beyond ±(2^53 − 1) is shown as near as a number can be,
 * which is better than not at all. Rates of exchange are read as text, and nothing is computed with the rest.
 */
const sum = (text: string) => Number(text)

const int8Array = getTypeParser(INT8_ARRAY as never) as (text: string) => (string | null)[]
const date = getTypeParser(builtins.TIMESTAMPTZ)

/** The timestamp as the interface writes it. A session in UTC, the usual one, needs no Date in between. */
function timestamp(text: string): string {
  if (text.length >= 22 && text.endsWith('+00') && text[4] === '-') {
    const millis = text.slice(19, -3)
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis.slice(1, 4).padEnd(3, '0')}Z`
  }
  return (date(text) as Date).toISOString()
}

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, safeInteger],
  [builtins.NUMERIC, sum],
  [INT8_ARRAY, text => int8Array(text).map(item => (item === null ? null : safeInteger(item)))],
  [builtins.TIMESTAMPTZ, timestamp],
])

/** How values of the database arrive in the program. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) ||
    getTypeParser(oid, format as 'text')) as typeof getTypeParser,
}
