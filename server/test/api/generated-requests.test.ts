/**
 * Protects the entrance (row 15): requests made from our own OpenAPI document, valid ones and broken ones, one by one and in
 * sequences. The client holds every answer against the closed schemas, so a field too many or an undeclared status fails too.
 */
import { openApiDocument } from '@tributary/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reportMeasurement, seed, sized } from '../../../testing/size.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { brokenOf, hostile, type Resolve, type Schema, validOf } from './arbitrary-of-schema.ts'

const RUNS = sized(15, 1000)
const scene = useScene({ TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000', NODE_ENV: 'production' })

interface Parameter {
  name: string
  in: string
  schema: Schema
}
interface Described {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}
const document = openApiDocument('http://localhost') as unknown as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}
const resolve: Resolve = schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

const all = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path: path.replace(/^\/api\/v1/, ''),
    query: (operation.parameters ?? []).filter(parameter => parameter.in === 'query'),
    body: operation.requestBody?.content['application/json'].schema,
  })),
)

let sent = 0
let faults = 0
/** Sends it and wants an answer that the contract declares, and no fault of ours. The client checks the rest. */
async function send(method: string, path: string, body: unknown): Promise<number> {
  sent += 1
  const { status } = await scene.api.send(
    method,
    path,
    body === undefined ? {} : { body: JSON.stringify(body) },
  )
  if (status >= 500) faults += 1
  expect(status).toBeLessThan(500)
  return status
}

const inQuery = (values: Record<string, unknown>) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const written = given.map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return `${name}=${encodeURIComponent(text.toWellFormed())}`
  })
  return written.length > 0 ? `?${written.join('&')}` : ''
}

const options = { numRuns: RUNS, seed }
const ids = fc.oneof(
  fc.constantFrom('1', '2', '0', '-1', '9007199254740993', 'abc', '%00', '1e3', '../1'),
  fc.nat().map(String),
)

it('the document names every operation', () => expect(all.length).toBeGreaterThanOrEqual(20))

describe.each(all)('$method $path', ({ method, path, query, body }) => {
  const at = (id: string, values: Record<string, unknown>) => `${path.replace('{id}', id)}${inQuery(values)}`
  const validQuery = fc.record(
    Object.fromEntries(query.map(({ name, schema }) => [name, validOf(schema, resolve)])),
    { requiredKeys: [] },
  )

  it('takes what its schema allows, or says why not', async () => {
    const bodies = body ? validOf(body, resolve) : fc.constant(undefined)
    await fc.assert(
      fc.asyncProperty(ids, validQuery, bodies, async (id, values, given) => {
        await send(method, at(id, values), given)
      }),
      options,
    )
  })

  it('refuses a broken query', async () => {
    const broken = fc.tuple(fc.constantFrom('limit', 'x', ...query.map(({ name }) => name)), hostile)
    await fc.assert(
      fc.asyncProperty(ids, broken, async (id, [name, value]) => {
        await send(method, at(id, { [name]: value }), body ? {} : undefined)
      }),
      options,
    )
  })
})

describe.each(all.filter(({ body }) => body))('$method $path', ({ method, path, body = {} }) => {
  it('refuses a broken body', async () => {
    await fc.assert(
      fc.asyncProperty(ids, fc.oneof(brokenOf(body, resolve), hostile), async (id, given) => {
        await send(method, path.replace('{id}', id), given)
      }),
      options,
    )
  })
})

/** Bytes and headers that are no request of anybody's, whatever the operation. */
const bytes: [what: string, body: string, type: string][] = [
  ['10,000 deep', `{"x": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'application/json'],
  ['numbers that no number holds', '{"x": 1e400, "y": 9223372036854775808, "z": -0}', 'application/json'],
  ['__proto__', '{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}}', 'application/json'],
  ['too large', JSON.stringify({ x: 'x'.repeat(sized(300_000, 10_000_000)) }), 'application/json'],
  ['a form', 'x=1', 'application/x-www-form-urlencoded'],
  ['no content type', '{"x": 1}', ''],
]

describe.each(all.filter(({ body }) => body))('$method $path', ({ method, path }) => {
  it.each(bytes)('refuses %s', async (_what, body, type) => {
    sent += 1
    const { status } = await scene.api.send(method, path.replace('{id}', '1'), {
      body,
      headers: { 'content-type': type },
    })
    if (status >= 500) faults += 1
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })
})

describe('sequences', () => {
  /** What is created can be read, changed and read again, and what was deleted is gone, in whatever order they are asked. */
  it('create → patch → get, any number of times', async () => {
    const changes = fc.array(validOf(document.components.schemas.UpdateAffiliate ?? {}, resolve), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(changes, async list => {
        const made = await scene.api.post('/affiliates', {
          email: `${unique('seq')}@example.com`,
          campaign_id: scene.place.campaign_id,
        })
        expect(made.status).toBe(201)
        for (const given of list) {
          const { email, token, coupon_code, ...change } = given as Record<string, unknown>
          const patched = await scene.api.patch(`/affiliates/${made.body.id}`, change)
          const read = await scene.api.get(`/affiliates/${made.body.id}`)
          expect(patched.status).toBe(Object.keys(change).length === 0 ? 422 : 200)
          if (patched.status === 200) expect(read.body).toEqual(patched.body)
        }
        sent += 1 + 2 * list.length
      }),
      options,
    )
  })

  it('create → get in a list → delete → gone', async () => {
    const kinds = fc.subarray(
      ['promoter.approved', 'commission.created', 'payout.paid', 'conversion.created'],
      { minLength: 1 },
    )
    await fc.assert(
      fc.asyncProperty(kinds, async events => {
        const made = await scene.api.post('/webhook_endpoints', {
          url: 'https://receiver.example/hook',
          events,
        })
        expect(made.status).toBe(201)
        const listed = await scene.api.get('/webhook_endpoints?limit=100')
        expect(listed.body.data.map(({ id }: { id: number }) => id)).toContain(made.body.id)
        expect((await scene.api.delete(`/webhook_endpoints/${made.body.id}`)).status).toBe(204)
        expect((await scene.api.delete(`/webhook_endpoints/${made.body.id}`)).status).toBe(404)
        const after = await scene.api.get('/webhook_endpoints?limit=100')
        expect(after.body.data.map(({ id }: { id: number }) => id)).not.toContain(made.body.id)
        sent += 5
      }),
      options,
    )
  })
})

it('the process lives, and has answered everything', async () => {
  expect((await fetch(`${scene.app.url}/readyz`)).status).toBe(200)
  const what = `answered 5xx, of ${sent} with seed ${seed}`
  reportMeasurement({ row: 15, what, value: faults, bar: '0', holds: faults === 0 })
})
