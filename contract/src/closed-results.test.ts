import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { dashboardSchemas, isFile, personResults } from './dashboard/index.ts'
import { ErrorBody } from './errors.ts'
import { type Operation, operations } from './operations.ts'
import { PortalLook, portalSchemas } from './portal/index.ts'

const scalars: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean', 'null'])

interface Node {
  type?: string | string[]
  const?: unknown
  properties?: Record<string, Node>
  additionalProperties?: unknown
  items?: Node | Node[]
  additionalItems?: unknown
  anyOf?: Node[]
}

/** The places in a schema that would let an unnamed field through. */
function openPlaces(schema: Node, place: string): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(each => openPlaces(each, place))
  const kinds = [schema.type ?? []].flat()
  if (kinds.includes('object')) {
    const fields = Object.entries(schema.properties ?? {})
    return [
      ...(schema.additionalProperties === false ? [] : [place]),
      ...fields.flatMap(([name, field]) => openPlaces(field, `${place}.${name}`)),
    ]
  }
  if (kinds.includes('array')) {
    // A tuple of open length may end in anything.
    if (Array.isArray(schema.items) && schema.additionalItems !== false) return [`${place}[]`]
    return [schema.items ?? {}].flat().flatMap(item => openPlaces(item, `${place}[]`))
  }
  return kinds.length > 0 && kinds.every(kind => scalars.has(kind)) ? [] : [place]
}

const openIn = (schema: TSchema, place: string) => (isFile(schema) ? [] : openPlaces(schema as Node, place))

test('an open object, list, tuple or value is found at any depth', () => {
  const open = { type: 'object', properties: {} }
  const closed = (properties: Record<string, Node>) => ({
    type: ['object', 'null'],
    additionalProperties: false,
    properties,
  })
  expect(openPlaces({}, 'a')).toEqual(['a'])
  expect(openPlaces({ type: 'array' }, 'a')).toEqual(['a[]'])
  expect(openPlaces(closed({ b: { type: 'array', items: open } }), 'a')).toEqual(['a.b[]'])
  expect(openPlaces({ anyOf: [{ type: 'null' }, closed({ b: open })] }, 'a')).toEqual(['a.b'])
  expect(openPlaces({ type: 'array', items: [{ type: 'string' }] }, 'a')).toEqual(['a[]'])
  expect(openPlaces(closed({ b: { type: ['integer', 'null'] } }), 'a')).toEqual([])
})

test('every result of the public API is closed', () => {
  const open = Object.entries<Operation>(operations).flatMap(([id, { success }]) =>
    Object.values(success).flatMap(({ schema }) => (schema ? openIn(schema, id) : [])),
  )
  expect([...open, ...openIn(ErrorBody, 'error')]).toEqual([])
})

test('every result of the portal is closed', () => {
  const open = Object.entries(portalSchemas).flatMap(([id, { result }]) => openIn(result, id))
  expect([...open, ...openIn(PortalLook, 'look')]).toEqual([])
})

/** Maps whose keys the contract cannot name. */
const openMaps = [
  // Each action defines its own details; the page shows them as they are.
  'listAuditLog.data[].details',
]

test('every result of the dashboard is closed, but for a few maps', () => {
  const open = Object.entries(dashboardSchemas).flatMap(([id, { result }]) => openIn(result, id))
  expect(open).toEqual(openMaps)
})

test('every result of the calls without an account is closed', () => {
  expect(Object.entries(personResults).flatMap(([id, result]) => openIn(result, id))).toEqual([])
})
