import { emailPattern } from '@tributary/contract'
import { HIDDEN_PROBLEM, ONE_LINE_PROBLEM } from '@tributary/contract/one-line'
import type { ErrorObject } from 'ajv'
import { DAY_PROBLEM, MOMENT_PROBLEM } from '../../kit/timestamp.ts'

/** Descriptions of patterns, to follow "must be". A test finds a pattern that is missing here. */
export const patternText: Record<string, string> = {
  [emailPattern]: 'an email address',
  '^[A-Z]{3}$': 'a three-letter currency code such as USD',
  '^[A-Za-z0-9_-]{3,64}$': '3 to 64 of the characters A-Z, a-z, 0-9, _ and -',
  '^[1-9][0-9]{0,15}$': 'a click id',
  '^[0-9a-f]{64}$': 'the digest of a preview',
  '^https?://[^\\s]+$': 'an http or https URL',
  '^[A-Za-z0-9.:_-]{1,253}$': 'a host name or an IP address',
  '^#[0-9a-fA-F]{6}$': 'a colour such as #12755c',
  '^[A-Za-z0-9+/]+={0,2}$': 'a base64-encoded file',
}

const typeText: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

/** Arrays and objects are named, not printed: a hostile one may be too deep to serialize. */
function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A range with an optional lower or upper bound. */
function range(least: number | undefined, most: number | undefined, text: (count: number) => string): string {
  if (most === undefined) return `at least ${text(least ?? 0)}`
  return least === undefined || least === 0 ? `at most ${text(most)}` : `${least} to ${text(most)}`
}

const listed = (words: string[]) =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : (words[0] ?? '')

/** Describes a validation error, to follow the field's name. */
export function problem({ keyword, params, data, parentSchema = {} }: ErrorObject): string {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = parentSchema
  switch (keyword) {
    case 'type':
      return `must be ${listed([params.type].flat().map((type: string) => typeText[type] ?? type))}, not ${quoted(data)}`
    case 'enum':
      return `must be ${params.allowedValues.length > 1 ? 'one of ' : ''}${params.allowedValues.join(', ')}, not ${quoted(data)}`
    case 'const':
      return `must be ${quoted(params.allowedValue)}, not ${quoted(data)}`
    case 'minLength':
    case 'maxLength':
      return `must have ${range(minLength, maxLength, count => counted(count, 'character'))}`
    case 'minItems':
    case 'maxItems':
      return `must have ${range(minItems, maxItems, count => counted(count, 'item'))}`
    case 'uniqueItems':
      return 'must not contain duplicates'
    case 'minimum':
    case 'maximum':
      // `integersOnly` turns non-integers into infinity.
      if (data === Number.POSITIVE_INFINITY) return 'must be an integer'
      if (minimum === undefined || maximum === undefined)
        return `must be ${range(minimum, maximum, String)}, not ${quoted(data)}`
      return `must be from ${minimum} to ${maximum}, not ${quoted(data)}`
    case 'format':
      if (params.format === 'one-line') return ONE_LINE_PROBLEM
      if (params.format === 'plain-text') return HIDDEN_PROBLEM
      if (params.format === 'day') return DAY_PROBLEM
      if (params.format === 'moment') return MOMENT_PROBLEM
      return 'must be an RFC 3339 timestamp such as 2026-01-31T12:00:00.000Z'
    case 'pattern':
      return `must be ${patternText[params.pattern] ?? `text that matches ${params.pattern}`}, not ${quoted(data)}`
    default:
      return `is invalid (${keyword})`
  }
}
