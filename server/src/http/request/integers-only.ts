const QUOTE = 0x22
const BACKSLASH = 0x5c
const [DOT, UPPER_E, LOWER_E] = [0x2e, 0x45, 0x65]

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** A number as JSON writes it, behind its sign. */
const written = /(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** JSON has no infinity, but reads this as one: a number that no schema of ours takes. */
const REFUSED = '1e999'

/** Where the text that begins at a quotation mark ends. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return json.length
}

/** Where the number begins whose point or exponent stands here. */
function startOfNumber(json: string, at: number): number {
  let start = at
  while (start > 0 && isDigit(json.charCodeAt(start - 1))) start--
  return start
}

/**
 * Replaces every number that is not written as an integer by one that validation refuses by the field's name. After JSON.parse
 * it is too late: 100.00000000000000001 and 1e2 both arrive as 100, and money must not be guessed. Nothing here is a fraction,
 * so no field is spared. What is no JSON stays none.
 */
export function integersOnly(json: string): string {
  // Nearly every body ends here: no digit stands before a point or an e, not even within a text.
  if (!/\d[.eE]/.test(json)) return json
  let result = ''
  let copied = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at)
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
