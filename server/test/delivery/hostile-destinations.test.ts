/** Protects row 9: in production, no URL in whatever spelling makes the service connect to the inside. */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportMeasurement } from '../../../testing/size.ts'
import { readSettings } from '../../src/config.ts'
import { sql } from '../../src/db/sql.ts'
import { parseUrl } from '../../src/kit/url.ts'
import { destinationPolicy } from '../../src/webhooks/delivery/destination.ts'
import { Sender } from '../../src/webhooks/delivery/send-attempt.ts'
import { TestClient } from '../client.ts'
import { startApp, type TestApp } from '../harness.ts'
import { disguisedAddresses, insideNames, malformed } from './hostile-urls.ts'
import { behaviours, PATIENCE_MS, Receiver } from './receiver.ts'
import { emit, eventually, useDeliveries } from './scene.ts'

const scene = useDeliveries()
const production = { NODE_ENV: 'production' }
let traps: Receiver[]
let app: TestApp
let api: TestClient

beforeAll(async () => {
  const first = await Receiver.start('127.0.0.1')
  // On one port, so that it does not matter which loopback address a spelling leads to.
  traps = [first, await Receiver.start('::1', first.port)]
  app = await startApp(scene.database, production)
  api = new TestClient(app.url, scene.account.key)
})
afterAll(async () => {
  await app.close()
  await Promise.all(traps.map(trap => trap.close()))
})

const aimed = (url: string) => url.replace('PORT', String(traps[0]?.port))
const connections = () => traps.reduce((sum, trap) => sum + trap.connections, 0)
const names = [...insideNames, `https://${hostname()}:PORT/`]

it('knows more than sixty of them', () => {
  expect(new Set([...disguisedAddresses, ...malformed, ...names]).size).toBeGreaterThan(100)
})

it.each([...disguisedAddresses, ...malformed])('is not even stored: %s', async url => {
  const { status, body } = await api.post('/webhook_endpoints', { url: aimed(url), events: ['payout.paid'] })
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  expect(body.error.message).toMatch(/^url /)
})

/** Puts URLs into the table as an older version, another policy or a hand might have. */
async function store(urls: string[]): Promise<void> {
  const { secrets } = scene.app.services
  for (const url of urls)
    await scene.database.owner.query(
      `INSERT INTO webhook_endpoints (account_id, url, events, status, sealed_secret)
       VALUES ($1, $2, '{promoter.approved}', 'active', $3)`,
      [scene.account.id, url, secrets.seal('webhook secret', scene.account.id, 'whsec_c2VjcmV0')],
    )
}

const attempted = () =>
  scene.database.db.many<{ url: string; stage: string | null; error: string }>(sql`
    SELECT w.url, a.error_stage AS stage, a.error FROM webhook_endpoints w
      JOIN deliveries d ON d.account_id = w.account_id AND d.endpoint_id = w.id
      JOIN delivery_attempts a ON a.account_id = w.account_id AND a.delivery_id = d.id`)

// With an allowed range as well, plain http is no longer refused for its own sake, and the address alone must do it.
it.each([
  ['in production', production, 'https'],
  ['beside an allowed range', { ...production, TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '10.77.0.0/16' }, 'http'],
])('no connection is made %s where one was stored all the same', async (name, env, scheme) => {
  const urls = [...disguisedAddresses, ...names, ...malformed.filter(url => parseUrl(aimed(url)))]
    .filter(url => /^https?:/i.test(url))
    .map(url => aimed(url).replace(/^https/i, scheme))
  const inside = urls.filter(url => !/receiver\.example\/$/.test(url))
  await store(inside)
  const before = connections()
  scene.work({ env, timeoutMs: 2000 })
  await emit(scene.database.db, scene.account.id)
  const rows = await eventually(async () => {
    const all = await attempted()
    expect(all).toHaveLength(inside.length)
    return all
  })
  // Whether `localhost.` is found at all is up to the resolver; that nothing is connected to is not.
  const others = rows.filter(
    ({ url, stage }) => stage !== 'destination' && !(url.includes('localhost.') && stage === 'dns'),
  )
  expect(others).toEqual([])
  const made = connections() - before
  reportMeasurement({
    row: 9,
    what: `connections for ${inside.length} destinations ${name}`,
    value: made,
    bar: '0',
    holds: made === 0,
  })
  expect(made).toBe(0)
})

describe('what the operator may open', () => {
  const senders: Sender[] = []
  const send = (url: string, env: NodeJS.ProcessEnv, timeoutMs = PATIENCE_MS) => {
    const sender = new Sender(destinationPolicy(readSettings(env)), timeoutMs)
    senders.push(sender)
    return sender.send(url, {}, '{}')
  }
  afterAll(() => Promise.all(senders.map(sender => sender.close())))
  const opened = { ...production, TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
  const everything = { ...production, TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '0.0.0.0/0,::/0' }

  it('reaches loopback outside production, by address and by name', async () => {
    for (const host of ['127.0.0.1', 'localhost'])
      expect(
        await send(`http://${host}:${scene.receiver.port}/dev`, { NODE_ENV: 'development' }),
      ).toMatchObject({
        status: 200,
        failure: undefined,
      })
    expect(scene.receiver.at('/dev')).toHaveLength(2)
  })

  it('reaches an allowed range in production, by address and by name', async () => {
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]'])
      expect(await send(`http://${host}:${scene.receiver.port}/allowed`, opened), host).toMatchObject({
        status: 200,
      })
  })

  it('reaches nothing beside the allowed range', async () => {
    for (const host of ['[::1]', '10.0.0.1', '0.0.0.0', '[::7f00:1]'])
      expect((await send(aimed(`http://${host}:PORT/`), opened)).failure?.stage, host).toBe('destination')
  })

  it.each([
    ['a range', opened],
    ['everything', everything],
    ['everything inside, outside production', { NODE_ENV: 'test' }],
  ])('never reaches link-local and metadata addresses, even with %s allowed', async (_name, env) => {
    const never = disguisedAddresses.filter(url =>
      /254|0251|A9|a9fe|fe80|febf|43518|2852039166|100\.100|ec2|ce::/.test(url),
    )
    const refused = await Promise.all(
      // Where one of the two that aren't refused leads nowhere, its attempt ends by its timeout.
      never.map(async url => [url, (await send(aimed(url), env, 2000)).failure?.stage] as const),
    )
    const reached = refused.filter(([url, stage]) => stage !== 'destination' && !/127\.255|172\.31/.test(url))
    expect(reached).toEqual([])
  })

  it('does not follow a redirect to where it could not go itself', async () => {
    const before = connections()
    for (const target of [
      aimed('http://127.0.0.1:PORT/'),
      aimed('http://[::1]:PORT/'),
      'http://169.254.169.254/',
    ]) {
      scene.receiver.behave('/redirect', behaviours.redirect(target))
      const { status, failure } = await send(`http://127.0.0.1:${scene.receiver.port}/redirect`, opened)
      expect([status, failure?.stage]).toEqual([302, 'status'])
    }
    expect(connections()).toBe(before)
  })

  it('spells out addresses that are in fact addresses', () => {
    // The lists above would prove nothing if the parser took these for names.
    const literals = disguisedAddresses.map(url => new URL(aimed(url)).hostname.replace(/^\[|\]$/g, ''))
    expect(literals.filter(host => !isIP(host))).toEqual([])
  })
})
