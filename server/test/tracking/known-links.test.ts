/** A cached link is followed without the framework, and its visitor, the metrics and the log must see no difference. */
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { Links } from '../../src/earning/tracking/links.ts'
import { buildApp } from '../../src/http/app.ts'
import { Readiness } from '../../src/http/readiness.ts'
import { buildAffiliate } from '../factories.ts'
import { clickRow, DESTINATION, type Followed, follow, useTracking } from './scene.ts'

const scene = useTracking()
const lines: Record<string, unknown>[] = []
let readiness: Readiness
let app: { url: string; close: () => Promise<void> }
/** Requests that the framework has handled, by id. */
const handled = new Set<string>()
/** How often a request for a link found it cached, which the framework doesn't ask. */
let cacheHits = 0

beforeAll(async () => {
  const { services } = scene.app
  const settings = readSettings({
    NODE_ENV: 'test',
    TRIBUTARY_TRUST_PROXY: '1',
    TRIBUTARY_HSTS_SECONDS: '60',
  })
  readiness = new Readiness(services.db)
  const built = await buildApp({
    services: { ...services, settings },
    log: pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    readiness,
  })
  built.addHook('onRequest', async ({ id }) => void handled.add(id))
  const known = Links.prototype.known
  vi.spyOn(Links.prototype, 'known').mockImplementation(function (this: Links, name) {
    const link = known.call(this, name)
    if (link) cacheHits++
    return link
  })
  await built.listen({ host: '127.0.0.1', port: 0 })
  app = {
    url: `http://127.0.0.1:${(built.server.address() as AddressInfo).port}`,
    close: () => built.close(),
  }
})
afterAll(async () => {
  vi.restoreAllMocks()
  await app.close()
})

const newLink = async () => {
  const { database, account, campaign } = scene
  const { token } = await buildAffiliate(database, account.id, campaign.id)
  return `/r/${account.slug}/${token}`
}
/** Clicks until one has found the link in the cache, where it stays for a second: on a slow machine it takes more than two. */
async function clicksOf(path: string, headers: Record<string, string> = {}): Promise<Followed[]> {
  const clicks: Followed[] = []
  const before = cacheHits
  const click = async () => {
    clicks.push(await follow({ app } as typeof scene, path, headers))
    return cacheHits > before
  }
  await expect.poll(click, { interval: 0 }).toBe(true)
  return clicks
}
/** Clicks on a new link: the first one looks it up, and the last one is redirected without the framework. */
async function bothWays(path: string, headers: Record<string, string> = {}): Promise<Followed[]> {
  const clicks = await clicksOf(path, headers)
  const wasHandled = clicks.map(click => handled.has(String(click.headers.get('request-id'))))
  expect(wasHandled).toEqual([...Array(clicks.length - 1).fill(true), false])
  expect(clicks.length).toBeGreaterThan(1)
  return clicks
}
const seen = ({ status, headers, location, clickId, body }: Followed) => ({
  ...{ status, body, location: location?.href.replace(`click_id=${clickId}`, 'click_id=CLICK') },
  headers: [...headers]
    .filter(([name]) => name !== 'date')
    .map(([name, value]) => [name, name === 'request-id' ? 'ID' : name === 'location' ? 'LOCATION' : value])
    .toSorted(),
})

it.each(['', '/CAMPAIGN', '?to=/pricing&fbclid=1', '/CAMPAIGN?x=%ff'])(
  'each click on a link with “%s” gets the same response',
  async rest => {
    const link = await newLink()
    const [first, ...others] = (await bothWays(link + rest.replace('CAMPAIGN', scene.campaign.slug))).map(
      seen,
    )
    expect(first).toMatchObject({ status: 302, location: expect.stringContaining('click_id=CLICK') })
    expect(first?.headers).toContainEqual(['strict-transport-security', 'max-age=60'])
    for (const other of others) expect(other).toEqual(first)
  },
)

it('each click stores the source that its link names, and is led to the page without it', async () => {
  const query = '?utm_source=letter&sub_id=a%26b&gclid=x&fbclid=1'
  const clicks = await bothWays(`${await newLink()}${query}`)
  const { searchParams } = new URL(DESTINATION)
  for (const { location, clickId } of clicks) {
    const { landing_url } = await clickRow(scene, clickId)
    expect(landing_url).toBe(
      'https://shop.example/start?utm_source=letter&sub_id=a%26b&gclid=x&plan=a%20b&flag#prices',
    )
    const names = [...(location as URL).searchParams.keys()]
    expect(names).toEqual([...searchParams.keys(), 'via', 'click_id'])
  }
})

it('the addresses of visitors are read from the proxy', async () => {
  const hashes = async (address: string) => {
    const clicks = await bothWays(await newLink(), { 'x-forwarded-for': `198.51.100.1, ${address}` })
    const rows = await Promise.all(clicks.map(({ clickId }) => clickRow(scene, clickId)))
    return new Set(rows.map(row => row.address_hash.toString('hex')))
  }
  const [some, others] = [await hashes('203.0.113.7'), await hashes('203.0.113.8')]
  expect([some.size, others.size]).toEqual([1, 1])
  expect(some).not.toEqual(others)
})

it('each is measured by its route, and logged with the id of its response', async () => {
  const count = async () => {
    const figures = await (await fetch(`${app.url}/metrics`)).text()
    const route = '"/r/:account/:token/:campaign"'
    const [, counted = '0'] =
      new RegExp(`duration_seconds_count\\{method="GET",route=${route},status="302"\\} (\\d+)`).exec(
        figures,
      ) ?? []
    return Number(counted)
  }
  const before = await count()
  const clicks = await bothWays(`${await newLink()}/${scene.campaign.slug}`)
  await expect.poll(count).toBe(before + clicks.length)
  for (const { headers } of clicks)
    expect(lines.find(line => line.request_id === headers.get('request-id'))).toMatchObject({
      msg: 'request finished',
      method: 'GET',
      route: '/r/:account/:token/:campaign',
      status: 302,
      ms: expect.any(Number),
    })
})

it('while the process stops, each response closes its connection', async () => {
  const link = await newLink()
  readiness.isLettingGo = true
  const clicks = await bothWays(link).finally(() => {
    readiness.isLettingGo = false
  })
  for (const { headers } of clicks) expect(headers.get('connection')).toBe('close')
})

it('a click that can’t be stored is tried once, and gets the error response', async () => {
  const { owner } = scene.database
  const link = await newLink()
  // A sequence counts although the transaction is rolled back.
  await owner.query(`
    CREATE SEQUENCE tries;
    GRANT USAGE ON SEQUENCE tries TO PUBLIC;
    CREATE FUNCTION refuse_click() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('tries'); RAISE 'no clicks today'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON clicks FOR EACH STATEMENT EXECUTE FUNCTION refuse_click()`)
  try {
    const clicks = await clicksOf(link, { accept: 'application/json' })
    for (const { status, body, location } of clicks) {
      expect([status, location]).toEqual([500, undefined])
      expect(body.error.code).toBe('internal_error')
    }
    const { rows } = await owner.query('SELECT last_value::integer AS n FROM tries')
    expect(rows).toEqual([{ n: clicks.length }])
  } finally {
    await owner.query('DROP TRIGGER refuse ON clicks; DROP FUNCTION refuse_click; DROP SEQUENCE tries')
  }
  for (const { status } of await clicksOf(link)) expect(status).toBe(302)
})
