import { DomainError, invalid } from './domain-error.ts'

/** Deeper than any of our schemas, and shallow enough for recursive code. */
const DEEPEST = 32
/** A bulk action lists 500 rows. More values would cost far more memory than the bytes received. */
const MOST_VALUES = 10_000
const LONGEST_NAME = 80

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

const utf8 = new TextDecoder()

/** Names the field that is too deep: the last string at the top level of the body, if the body is an object. */
function tooDeep(bytes: Uint8Array, isObject: boolean, from: number, to: number): DomainError {
  const problem = `is nested deeper than ${DEEPEST} levels`
  if (!isObject) return new DomainError('bad_request', `The body ${problem}.`)
  return invalid(utf8.decode(bytes.subarray(from, Math.min(to, from + LONGEST_NAME))), problem)
}

/**
 * Rejects a body that would be costly to parse, before parsing: one pass over the bytes, without recursion. It does not check whether
 * they are valid JSON. In UTF-8 these bytes never occur within another character.
 */
export function assertPlainShape(bytes: Uint8Array, mostValues = MOST_VALUES): void {
  let depth = 0
  let commas = 0
  let isObject = false
  let isInString = false
  let [nameStart, nameEnd] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isInString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) {
        isInString = false
        if (depth === 1) nameEnd = at
      }
    } else if (byte === QUOTE) {
      isInString = true
      if (depth === 1) nameStart = at + 1
    } else if (byte === COMMA) commas++
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (depth++ === 0) isObject = byte === OPEN_OBJECT
      if (depth > DEEPEST) throw tooDeep(bytes, isObject, nameStart, nameEnd)
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
  }
  if (commas >= mostValues)
    throw new DomainError('bad_request', `The body contains more than ${mostValues} values.`)
}
