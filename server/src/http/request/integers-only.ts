const QUOTE = 0x22
const BACKSLASH = 0x5c
const [DOT, UPPER_E, LOWER_E] = [0x2e, 0x45, 0x65]

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** A JSON number without its sign. */
const written = /(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Parses as Infinity, which no schema of ours accepts. */
const REFUSED = '1e999'

/** The index of the closing quote of the string that starts here. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return json.length
}

/** The start of the number whose decimal point or exponent is at this index. */
function startOfNumber(json: string, at: number): number {
  let start = at
  while (start > 0 && isDigit(json.charCodeAt(start - 1))) start--
  return start
}

/**
 * Replaces every number that is not written as an integer by one that validation rejects with the field's name. After JSON.parse it is
 * too late: 100.00000000000000001 and 1e2 both become 100, and amounts must not be rounded. No field of the API takes fractions, so it
 * applies to all. Invalid JSON stays invalid.
 */
export function integersOnly(json: string): string {
  // Fast path for nearly every body: no digit before a point or an e, not even within a string.
  if (!/\d[.eE]/.test(json)) return json
  let result = ''
  let copied = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (
      (code === DOT || code === LOWER_E || code === UPPER_E) &&
      at > copied &&
      isDigit(json.charCodeAt(at - 1))
    ) {
      written.lastIndex = startOfNumber(json, at)
      const number = written.exec(json)
      if (!number || written.lastIndex <= at) continue
      result += json.slice(copied, number.index) + REFUSED
      copied = written.lastIndex
      at = copied - 1
    }
  }
  return result + json.slice(copied)
}
