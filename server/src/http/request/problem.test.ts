/** Protects who gets an error back: each is a sentence that names the field and says what is expected. */
import { type Operation, operations } from '@tributary/contract'
import { type DashboardSchema, dashboardSchemas } from '@tributary/contract/dashboard'
import { portalSchemas } from '@tributary/contract/portal'
import type { TSchema } from 'typebox'
import { expect, it } from 'vitest'
import { loadSchemaCompilers } from '../schema-compilers.ts'
import { patternText } from './problem.ts'
import { reader } from './validation.ts'

await loadSchemaCompilers()

// biome-ignore lint/suspicious/noExplicitAny: schemas are walked freely.
type Json = any

const requests: [string, TSchema | undefined][] = [
  ...Object.entries<Operation>(operations).flatMap(
    ([id, { query, body }]): [string, TSchema | undefined][] => [
      [`${id} query`, query],
      [id, body],
    ],
  ),
  ...Object.entries(dashboardSchemas as Record<string, DashboardSchema>).flatMap(
    ([id, { query, body }]): [string, TSchema | undefined][] => [
      [`dashboard ${id} query`, query],
      [`dashboard ${id}`, body],
    ],
  ),
  ...Object.entries<{ query: TSchema; body?: TSchema | undefined }>(portalSchemas).flatMap(
    ([id, { query, body }]): [string, TSchema | undefined][] => [
      [`portal ${id} query`, query],
      [`portal ${id}`, body],
    ],
  ),
]
const schemas = requests.filter((entry): entry is [string, TSchema] => entry[1] !== undefined)

function* parts(schema: Json): Generator<Json> {
  if (schema === null || typeof schema !== 'object') return
  yield schema
  for (const value of Object.values(schema)) yield* parts(value)
}

/** Values that break a rule of the schema, whatever it is. */
const wrongValues = (schema: Json): unknown[] => [
  null,
  true,
  1.5,
  -1e18,
  1e18,
  '',
  'x',
  'no such value',
  'x'.repeat(5000),
  '\n',
  [],
  {},
  Array(60).fill('a'),
  ...(schema.items ? wrongValues(schema.items).map(value => [value]) : []),
  ...(schema.properties ? [{ unknown: 1 }] : []),
]

const sentence = /^[A-Za-z_][\w.[\]-]* (is required|is not a known field|must (be|have|not have) .+)\.$/s

/** What a reader says of a value; undefined where nothing is wrong with it. */
function problemWith(schema: object, value: object): string | undefined {
  try {
    reader(schema as never)(value)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

it.each(schemas)('explains whatever is wrong with a field of %s', (_, schema) => {
  // What is required is reported first, so it is left out here.
  const lenient = { ...schema, required: [] }
  for (const [field, property] of Object.entries<Json>((schema as Json).properties ?? {}))
    for (const value of wrongValues(property)) {
      const message = problemWith(lenient, { [field]: value })
      if (message === undefined) continue
      expect(message).toMatch(sentence)
      expect(message.startsWith(field)).toBe(true)
      expect(message).not.toMatch(/undefined|\bnot (A|An|The) |must be [A-Z][a-z]+ |is invalid/)
    }
  expect(problemWith(lenient, { 'no such field': 1 })).toBe('no such field is not a known field.')
})

it('every pattern has a description', () => {
  const patterns = new Set(
    schemas.flatMap(([, schema]) => [...parts(schema)].map(({ pattern }) => pattern).filter(Boolean)),
  )
  expect(Object.keys(patternText).toSorted()).toEqual([...patterns].toSorted())
  for (const words of Object.values(patternText)) expect(words).toMatch(/^(an?|the|\d+ to \d+) /)
})

it('reads naturally', () => {
  const problemOf = (field: Json, value: unknown) =>
    problemWith({ type: 'object', properties: { field } }, { field: value })
  const email = Object.keys(patternText)[0]
  expect(problemOf({ type: 'string', pattern: email, description: 'An address; …' }, 'nonsense')).toBe(
    'field must be an email address, not "nonsense".',
  )
  expect(problemOf({ type: ['string', 'null'] }, 5)).toBe('field must be a string or null, not 5.')
  expect(problemOf({ type: 'integer' }, 'x')).toBe('field must be an integer, not "x".')
  expect(problemOf({ type: 'boolean' }, 'x')).toBe('field must be true or false, not "x".')
  expect(problemOf({ type: 'string', minLength: 8 }, 'x')).toBe('field must have at least 8 characters.')
  expect(problemOf({ type: 'string', maxLength: 1 }, 'xx')).toBe('field must have at most 1 character.')
  expect(problemOf({ type: 'array', minItems: 1 }, [])).toBe('field must have at least 1 item.')
  expect(problemOf({ type: 'integer', minimum: 1 }, 0)).toBe('field must be at least 1, not 0.')
  expect(problemOf({ enum: ['void'] }, 'x')).toBe('field must be void, not "x".')
})
