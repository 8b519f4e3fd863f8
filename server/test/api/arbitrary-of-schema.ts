import { isOneLine } from '@tributary/contract/one-line'
import fc, { type Arbitrary } from 'fast-check'

/** The part of JSON Schema that the OpenAPI document of the service is written in. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: (string | number | null)[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
}

export type Resolve = (schema: Schema) => Schema

const text = (min = 0, max = 60) =>
  fc
    .string({ unit: 'grapheme', minLength: min, maxLength: Math.min(max, 60) })
    // Counted as the server counts, and nothing that no text can hold: the document says in words that invisible characters are refused.
    .filter(
      value =>
        value.isWellFormed() && isOneLine(value) && [...value].length >= min && [...value].length <= max,
    )

const time = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2026-01-01T00:00:00Z'), noInvalidDate: true })
  .map(date => date.toISOString())

function stringOf(schema: Schema): Arbitrary<string> {
  if (schema.format === 'date-time') return time
  if (schema.pattern?.includes('@'))
    return fc
      .tuple(fc.stringMatching(/^[a-z0-9]{1,20}$/), fc.stringMatching(/^[a-z0-9]{1,20}$/))
      .map(([name, host]) => `${name}@${host}.example`)
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern))
  return text(schema.minLength, schema.maxLength)
}

function ofType(type: string, schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.oneof(
        fc.integer({
          min: Math.max(schema.minimum ?? 0, -1000),
          max: Math.min(schema.maximum ?? 1000, 1000),
        }),
        fc
          .maxSafeInteger()
          .filter(value => value >= (schema.minimum ?? value) && value <= (schema.maximum ?? value)),
      )
    case 'string':
      return stringOf(schema)
    case 'array':
      return fc.array(validOf(schema.items ?? {}, resolve), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      })
    default:
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, property]) => [
            name,
            validOf(property, resolve),
          ]),
        ),
        { requiredKeys: schema.required ?? [] },
      )
  }
}

/** Values that the schema allows. */
export function validOf(given: Schema, resolve: Resolve): Arbitrary<unknown> {
  const schema = resolve(given)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(each => validOf(each, resolve)))
  const types = [schema.type ?? 'object'].flat()
  return fc.oneof(...types.map(type => ofType(type, schema, resolve)))
}

/** Values that no client should send, and some will. */
export const hostile: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '\0',
    '\ud800',
    'a\0b',
    ' ',
    '\r\nX-Injected: 1',
    2 ** 53,
    2 ** 63,
    -1,
    -0,
    0.5,
    1e308,
    true,
    [],
    {},
    [null],
    { toString: 1 },
    'x'.repeat(5000),
    '9'.repeat(400),
    '{{7*7}}',
    "'; DROP TABLE affiliates; --",
  ),
  fc.jsonValue({ maxDepth: 4 }),
)

/** A valid object with one thing wrong: a field missing, added, or with a hostile value. */
export function brokenOf(given: Schema, resolve: Resolve): Arbitrary<unknown> {
  const schema = resolve(given)
  const names = Object.keys(schema.properties ?? {})
  const name = fc.constantFrom(...(names.length > 0 ? names : ['x']))
  return fc
    .tuple(validOf(schema, resolve) as Arbitrary<Record<string, unknown>>, name, hostile, fc.nat(3))
    .map(([value, field, bad, what]) => {
      if (what === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== field))
      if (what === 1) return { ...value, [`${field}_`]: bad }
      if (what === 2) return JSON.parse(`{"__proto__": ${JSON.stringify(bad) ?? 'null'}, "constructor": 1}`)
      return { ...value, [field]: bad }
    })
}
