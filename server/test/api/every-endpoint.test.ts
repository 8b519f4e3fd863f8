/** Protects what all 17 operations have in common: who may call them, and what they make of ids and parameters. */
import { type Operation, operations } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { TestClient } from '../client.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const all = Object.entries<Operation>(operations)
  .filter(([, { path }]) => path.startsWith('/api/v1/'))
  .map(([id, { method, path, query, body }]) => ({
    id,
    method,
    path: path.slice('/api/v1'.length),
    query,
    takesBody: body !== undefined,
  }))
const bodies: Record<string, object> = {
  createAffiliate: { email: 'a@example.com', campaign_id: 987_654_321 },
  updateAffiliate: { name: 'x' },
  updateCommission: { status: 'approved' },
  createWebhookEndpoint: { url: 'https://receiver.example/', events: ['payout.paid'] },
}
const optionsFor = (id: string) => (bodies[id] ? { body: bodies[id] } : {})

it('are 17', () => expect(all).toHaveLength(17))

describe.each(all)('$method $path', ({ id, method, path, query }) => {
  const concrete = path.replace('{id}', '1')

  it('answers 401 without a key', async () => {
    const { status, body, headers } = await new TestClient(scene.app.url).send(
      method,
      concrete,
      optionsFor(id),
    )
    expect([status, body.error.code]).toEqual([401, 'unauthorized'])
    expect(headers.get('www-authenticate')).toBe('Bearer, Basic')
  })

  it('refuses an unknown query parameter by name', async () => {
    const { status, body } = await scene.api.send(method, `${concrete}?frobnicate=1`, optionsFor(id))
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toContain('frobnicate')
  })

  it('refuses a repeated query parameter by name', async () => {
    const [name = 'x'] = Object.keys((query as { properties?: object }).properties ?? {})
    const { status, body } = await scene.api.send(method, `${concrete}?${name}=1&${name}=1`, optionsFor(id))
    expect(status).toBe(422)
    expect(body.error.message).toContain(name)
  })

  it('is the same with a trailing slash', async () => {
    const send = async (to: string) => (await scene.api.send(method, to, optionsFor(id))).status
    const gone = path.replace('{id}', '987654321')
    expect(await send(`${gone}/`)).toBe(await send(gone))
  })
})

describe.each(all.filter(({ path }) => path.includes('{id}')))('$method $path', ({ id, method, path }) => {
  it.each([
    '987654321',
    '0',
    '-1',
    '1.0',
    '1.5',
    '01',
    '+1',
    '1e1',
    'abc',
    'null',
    '%31x',
    '%20',
    '%00',
    '9007199254740992',
    '99999999999999999999',
    '1'.repeat(101),
    '1%2F2',
  ])('knows nothing of the id %s', async text => {
    const { status, body } = await scene.api.send(method, path.replace('{id}', text), optionsFor(id))
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })
})

describe.each([...new Set(all.map(({ path }) => path))])('%s', path => {
  const allowed = all.filter(each => each.path === path).map(({ method }) => method as string)
  const expected = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']

  it.each(methods.filter(method => !expected.includes(method)))(
    'does not take %s, and says what it takes',
    async method => {
      for (const slash of ['', '/']) {
        const { status, headers, body } = await scene.api.send(method, path.replace('{id}', '1') + slash)
        expect(status).toBe(405)
        if (method !== 'HEAD') expect(body.error.code).toBe('method_not_allowed')
        expect(headers.get('allow')?.split(', ').toSorted()).toEqual(expected.toSorted())
      }
    },
  )
})
