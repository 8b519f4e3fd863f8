/** Protects subscriptions: a secret is shown once and sealed at rest, and no webhook can be aimed at the inside. */
import { eventKinds } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestClient } from '../client.ts'
import { startApp, type TestApp, useScene } from '../harness.ts'

const scene = useScene()
const url = 'https://receiver.example/hooks?a=b'
const create = (body: object, api = scene.api) =>
  api.post('/webhook_endpoints', { url, events: ['payout.paid'], ...body })

it('subscribes and shows the secret, this once', async () => {
  const { status, body } = await create({ events: eventKinds })
  expect(status).toBe(201)
  const { secret, ...endpoint } = body
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(endpoint).toEqual({
    id: expect.any(Number),
    url,
    events: [...eventKinds],
    status: 'active',
    created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
  })
  const list = await scene.api.get('/webhook_endpoints')
  expect(list.body.data[0]).toEqual(endpoint)
  expect(list.text).not.toMatch(/secret|whsec/)
})

it('keeps the secret sealed: what is stored does not contain it', async () => {
  const { body } = await create({})
  const { rows } = await scene.database.owner.query('SELECT * FROM webhook_endpoints WHERE id = $1', [
    body.id,
  ])
  const sealed: Buffer = rows[0].sealed_secret
  const raw = Buffer.from(body.secret.slice('whsec_'.length), 'base64')
  expect(sealed.includes(body.secret)).toBe(false)
  expect(sealed.includes(raw)).toBe(false)
  expect(JSON.stringify(rows[0])).not.toContain(body.secret.slice(6))
  expect(scene.app.services.secrets.open('webhook secret', scene.account.id, sealed)).toBe(body.secret)
})

it('gives each endpoint its own secret, even for the same URL', async () => {
  const [first, second] = [await create({}), await create({})]
  expect(first.body.id).not.toBe(second.body.id)
  expect(first.body.secret).not.toBe(second.body.secret)
})

it('folds duplicate events', async () => {
  const { body } = await create({ events: ['payout.paid', 'commission.created', 'payout.paid'] })
  expect(body.events).toEqual(['payout.paid', 'commission.created'])
})

it('has no path to fetch one endpoint, which might show its secret', async () => {
  const { body } = await create({})
  const answer = await scene.api.get(`/webhook_endpoints/${body.id}`)
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'DELETE'])
})

it('deletes an endpoint once', async () => {
  const { body } = await create({})
  const answer = await scene.api.delete(`/webhook_endpoints/${body.id}`)
  expect([answer.status, answer.text]).toEqual([204, ''])
  expect((await scene.api.delete(`/webhook_endpoints/${body.id}`)).status).toBe(404)
  const ids = (await scene.api.get('/webhook_endpoints?limit=100')).body.data.map(
    ({ id }: { id: number }) => id,
  )
  expect(ids).not.toContain(body.id)
})

it.each<[string, unknown, string]>([
  ['url', undefined, 'url'],
  ['url', null, 'url'],
  ['url', '', 'url'],
  ['events', undefined, 'events'],
  ['events', [], 'events'],
  ['events', 'payout.paid', 'events'],
  ['events', ['payout.paid', 'payout.refused'], 'payout.refused'],
  ['events', ['PAYOUT.PAID'], 'PAYOUT.PAID'],
  ['events', ['*'], '*'],
  ['events', [null], 'events'],
  ['status', 'disabled', 'status'],
  ['secret', 'whsec_mine', 'secret'],
])('refuses %s = %j', async (field, value, named) => {
  const { status, body } = await create({ [field]: value })
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  expect(body.error.message).toContain(named)
})

const refusedEverywhere = [
  'receiver.example/hooks',
  '/hooks',
  '//receiver.example/hooks',
  'https:receiver.example',
  'https:///hooks',
  'ftp://receiver.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://user@receiver.example/',
  'https://user:password@receiver.example/',
  'https://:@receiver.example/',
  'https://receiver.example/#part',
  'https://receiver.example/#',
  'https://receiver.example/with space',
  'https://receiver.example\\@evil.example/',
  ' https://receiver.example/',
  'https://receiver.example/\n',
  `https://receiver.example/${'x'.repeat(2048)}`,
  'https://169.254.169.254/latest/meta-data/',
  'http://169.254.169.254/latest/meta-data/',
  'https://[fe80::1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://0xA9FEA9FE/',
  'https://100.100.100.200/',
  'https://[fd00:ec2::254]/',
]

describe('outside production', () => {
  it.each(refusedEverywhere)('refuses %j', async address => {
    const { status, body } = await create({ url: address })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toMatch(/^url /)
  })

  it.each([
    'http://127.0.0.1:8080/hooks',
    'http://localhost/',
    'http://[::1]:3000/',
    'http://10.0.0.5/',
    url,
  ])('accepts %s', async address =>
    expect((await create({ url: address })).body).toMatchObject({ url: address }),
  )

  it('accepts an address of exactly 2048 characters', async () => {
    const longest = 'https://receiver.example/'.padEnd(2048, 'x')
    expect((await create({ url: longest })).body.url).toBe(longest)
  })
})

describe('in production', () => {
  let production: TestApp
  let api: TestClient
  beforeAll(async () => {
    production = await startApp(scene.database, { NODE_ENV: 'production' })
    api = new TestClient(production.url, scene.account.key)
  })
  afterAll(() => production.close())

  it.each([
    ...refusedEverywhere,
    'http://receiver.example/',
    'http://127.0.0.1:8080/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://10.0.0.5/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://2130706433/',
  ])('refuses %j', async address => {
    const { status, body } = await create({ url: address }, api)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toMatch(/^url /)
  })

  it('accepts https to the outside', async () => {
    expect((await create({}, api)).status).toBe(201)
  })
})
