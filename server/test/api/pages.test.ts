/** Protects those who run the service and read its documentation: what it shows without a key, and when it is not ready. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { createDatabase, startApp, type TestApp, type TestDatabase, useOwnScene } from '../harness.ts'

const scene = useOwnScene()
const get = (path: string, url = scene.app.url) => fetch(url + path)
/** The only script of the documentation; any other would be one that text was taken for. */
const withoutOwnScript = (page: string) => page.replace('<script src="/assets/docs.js" defer></script>', '')

/** Reads the whole response: a connection with an unread response stays open when the app closes. */
async function statusOf(path: string, url?: string): Promise<number> {
  const answer = await get(path, url)
  await answer.arrayBuffer()
  return answer.status
}

it('/ leads to the dashboard', async () => {
  const response = await fetch(`${scene.app.url}/`, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, '/dashboard'])
})

it.each(['/dashboard', '/dashboard/acme/payouts/7'])(
  '%s is the dashboard, whose parts are all here',
  async path => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') as string
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    const page = await response.text()
    expect(page).not.toMatch(/<script>|\son\w+=|(?:src|href)="(?:https?:)?\/\//i)
    const assets = [...page.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, asset]) => asset as string)
    expect(assets.length).toBeGreaterThan(2)
    for (const asset of assets) {
      const answer = await fetch(scene.app.url + asset, { headers: { 'accept-encoding': 'br' } })
      await answer.arrayBuffer()
      expect([asset, answer.status]).toEqual([asset, 200])
      if (!asset.startsWith('/web/')) continue
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect(answer.headers.get('content-encoding')).toBe('br')
    }
  },
)

it('an asset that is not of the build does not exist', async () => {
  for (const path of ['/web/assets/none.js', '/web/assets/..%2f..%2fpackage.json', '/web/assets/'])
    expect([path, await statusOf(path)]).toEqual([path, 404])
})

it.each(['/docs', '/docs/reference', '/docs/payouts', '/docs/search?q=refund'])(
  '%s is a page that loads nothing from elsewhere',
  async path => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const page = await response.text()
    expect(page).toMatch(/^<!doctype html>/i)
    expect(withoutOwnScript(page)).not.toMatch(
      /<script|\son\w+=|<(?:link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//i,
    )
    for (const [, asset] of page.matchAll(/<(?:link|img|script)[^>]+(?:href|src)="(\/[^"]+)"/g))
      expect([asset, await statusOf(asset as string)]).toEqual([asset, 200])
  },
)

it('/docs/reference names every operation', async () => {
  const page = await (await get('/docs/reference')).text()
  for (const path of ['/affiliates/{id}/magic_link', '/commissions/{id}', '/webhook_endpoints', '/payouts'])
    expect(page).toContain(path)
})

it('every guide is there, and every link between them leads to its place', async () => {
  const page = async (path: string) => {
    const answer = await get(path)
    return { status: answer.status, text: await answer.text() }
  }
  // Pictures, pages of other surfaces, and places within the same page too.
  const linksOf = (path: string, text: string) =>
    [...text.matchAll(/(?:href|src)="([/#][^"]*)"/g)].map(([, href = '']) =>
      href.startsWith('#') ? path + href : href,
    )
  const seen = new Map<string, { status: number; text: string }>()
  const waiting = ['/docs']
  for (const link of waiting) {
    const [path = '', anchor] = link.split('#')
    if (!seen.has(path)) {
      const found = await page(path)
      seen.set(path, found)
      if (path.startsWith('/docs')) waiting.push(...linksOf(path, found.text))
    }
    const { status, text = '' } = seen.get(path) ?? {}
    expect([link, status]).toEqual([link, 200])
    if (anchor) expect([link, text.split(` id="${anchor}"`).length - 1]).toEqual([link, 1])
  }
  expect(seen.size).toBeGreaterThan(10)
})

it('a search leads to the section that tells of it, and survives whatever is typed', async () => {
  const search = async (text: string) => (await get(`/docs/search?q=${encodeURIComponent(text)}`)).text()
  expect(await search('attribution window')).toContain('href="/docs/concepts#attribution"')
  expect(await search('customer_ref')).toContain('href="/docs/')
  for (const text of ['', ' ', '<script>alert(1)</script>', '.*(', 'x'.repeat(5000)]) {
    const page = await search(text)
    expect(withoutOwnScript(page)).not.toContain('<script')
  }
  expect(await search('zzzz nothing')).toContain('No results. Try fewer or different words')
})

it('a guide or picture that is not there does not exist', async () => {
  for (const path of [
    '/docs/none',
    '/docs/README',
    '/docs/..%2fpackage',
    '/docs/images/..%2fREADME.md',
    '/docs/images/none.png',
  ])
    expect([path, await statusOf(path)]).toEqual([path, 404])
})

it('/healthz and /readyz are fine', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const response = await get(path)
    expect([path, response.status]).toEqual([path, 200])
    expect(await response.json()).toEqual({ status: expect.any(String) })
  }
})

it('/metrics counts requests by route, never by id', async () => {
  await scene.api.get(`/affiliates/${scene.place.affiliate_id}`)
  const response = await get('/metrics')
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  const figures = await response.text()
  expect(figures).toMatch(
    /tributary_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/affiliates\/:id",status="200"\} 1/,
  )
  expect(figures).toMatch(/tributary_database_connections\{state="idle"\} \d/)
})

describe('when the database is gone', () => {
  let database: TestDatabase
  let app: TestApp
  let key: string
  beforeAll(async () => {
    database = await createDatabase()
    app = await startApp(database)
    key = (await buildAccount(database)).key
    await database.db.close()
  })
  afterAll(async () => {
    await app.close()
    database.db.close = async () => {}
    await database.drop()
  })

  it('/readyz reports it, and /healthz is unaffected', async () => {
    const ready = await get('/readyz', app.url)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ error: { code: 'unavailable' } })
    expect(await statusOf('/healthz', app.url)).toBe(200)
  })

  it('the API is unavailable, and says when to try again', async () => {
    const { status, body, headers, text } = await new TestClient(app.url, key).get('/affiliates')
    expect([status, body.error.code]).toEqual([503, 'unavailable'])
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(text).not.toMatch(/pool|postgres|ECONN/i)
  })

  it('a request without a key still gets a 401', async () => {
    expect((await new TestClient(app.url).get('/affiliates')).status).toBe(401)
  })
})
