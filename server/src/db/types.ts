import pg from 'pg'

const { builtins, getTypeParser } = pg.types
const INT8_ARRAY = 1016

/** Constraints limit ids and amounts to ±(2^53 − 1); a larger value is a bug and must not be rounded. */
function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} is outside the range of integers that JSON represents exactly.`)
  return value
}

/**
 * Sums are numeric so that they can't overflow, and are only displayed. One beyond ±(2^53 − 1) is displayed approximately, which is
 * better than failing. Exchange rates are read as text, and nothing is computed from other numerics.
 */
const sum = (text: string) => Number(text)

const int8Array = getTypeParser(INT8_ARRAY as never) as (text: string) => (string | null)[]
const date = getTypeParser(builtins.TIMESTAMPTZ)

/** The timestamp in the API's format. For a session in UTC, the usual case, this skips parsing a Date. */
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

/** How database values are parsed. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) ||
    getTypeParser(oid, format as 'text')) as typeof getTypeParser,
}
