/** Protects a person with a wrong address: a page in plain words, or the merchant's site, and never JSON. Programs get the error object. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildAccount, buildAffiliate, buildCampaign } from '../factories.ts'
import { createDatabase, startApp, type TestApp, type TestDatabase, useOwnScene } from '../harness.ts'

const scene = useOwnScene()
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

async function get(path: string, accept: string | undefined = BROWSER, url = scene.app.url) {
  const answer = await fetch(url + path, {
    redirect: 'manual',
    headers: accept === undefined ? {} : { accept },
  })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    location: answer.headers.get('location'),
    headers: answer.headers,
    text: await answer.text(),
  }
}

const isPage = (text: string) => {
  expect(text).toMatch(/^<!doctype html>/)
  expect(text).not.toContain('{"error"')
  expect(text).toMatch(/<h1>[^<]+<\/h1>/)
  // The documentation's own script adds search while typing; a page works without it.
  expect(text.replace('<script src="/assets/docs.js" defer></script>', '')).not.toMatch(/<script/)
}

describe('an unknown address', () => {
  const PEOPLE = [
    '/portal/unknown',
    '/portal/unknown/links',
    '/docs/none',
    '/docs/none/none.png',
    '/docs/images/none.png',
    '/docs/a/b/c',
    '/r/unknown-account/jane',
    '/r/unknown-account',
  ]
  it.each(PEOPLE)('%s is a page for people, also where they name no type', async path => {
    for (const accept of [BROWSER, '*/*', 'text/html;q=0.8,application/json;q=0.5']) {
      const { status, type, text, headers } = await get(path, accept)
      expect([accept, status, type]).toEqual([accept, 404, HTML_TYPE])
      isPage(text)
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  it.each(PEOPLE)('%s is JSON for programs that ask for it', async path => {
    for (const accept of ['application/json', 'application/json, text/html;q=0.5', 'Application/JSON']) {
      const { status, type, text } = await get(path, accept)
      expect([accept, status, type]).toEqual([accept, 404, JSON_TYPE])
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  it.each(['/unknown', '/unknown/page', '/assets/none.css', '/web/assets/none.js', '/%ff', '/r'])(
    '%s is a page for a browser and JSON for all else',
    async path => {
      const page = await get(path)
      expect([page.status, page.type]).toEqual([404, HTML_TYPE])
      isPage(page.text)
      expect(page.text).toContain('Page not found')
      expect(page.text).not.toMatch(/tributary/i)
      if (path === '/r') return
      for (const accept of ['*/*', 'application/json', 'image/png'])
        expect([accept, (await get(path, accept)).type]).toEqual([accept, JSON_TYPE])
    },
  )

  it.each([
    ['/api', 404],
    ['/api/none', 404],
    ['/api/v1/affiliates', 401],
    ['/api/v1/none', 401],
    ['/%61pi/v1/none', 401],
    ['/%61pi/none', 404],
    ['/api/v1/%ff', 401],
    ['/ingest/v1/none', 401],
    ['/ingest/none', 404],
    ['/t/none', 404],
    ['/dashboard/api/none', 404],
    ['/healthz/none', 404],
    ['/metrics/none', 404],
  ])('%s belongs to programs: JSON even for a browser', async (path, status) => {
    const answer = await get(path)
    expect([answer.status, answer.type]).toEqual([status, JSON_TYPE])
  })

  it('of a portal’s API is JSON even for a browser', async () => {
    const { status, type } = await get(`/portal/${scene.account.slug}/api/none`)
    expect([status, type]).toEqual([404, JSON_TYPE])
  })

  it.each([
    ['nothing', ''],
    ['separators alone', ';q=;;,/'],
    ['a weight that is no number', 'text/html;q=x'],
    ['a thousand parameters', 'text/html;'.repeat(1000)],
  ])('survives an Accept header of %s', async (_, accept) => {
    expect((await get('/unknown', accept)).status).toBe(404)
  })
})

describe('/portal', () => {
  it('leads to the one portal there is', async () => {
    for (const path of ['/portal', '/portal/']) {
      const { status, location } = await get(path)
      expect([status, location]).toEqual([302, `/portal/${scene.account.slug}`])
    }
  })

  it('asks which one where there are several, and names none', async () => {
    const other = await buildAccount(scene.database)
    const { status, type, text } = await get('/portal')
    expect([status, type]).toEqual([404, HTML_TYPE])
    expect(text).toContain('Which programme?')
    for (const slug of [scene.account.slug, other.slug]) expect(text).not.toContain(slug)
    expect((await get('/portal', 'application/json')).type).toBe(JSON_TYPE)
  })
})

describe('the picture of the tab', () => {
  it('is at /favicon.ico', async () => {
    const { status, location } = await get('/favicon.ico', '*/*')
    expect(status).toBe(302)
    expect((await get(location as string)).type).toBe('image/svg+xml')
  })

  it('of a portal is the account’s initial, or its logo', async () => {
    const icon = `/portal/${scene.account.slug}/favicon.ico`
    expect((await get(`/portal/${scene.account.slug}`)).text).toContain(`<link rel="icon" href="${icon}"`)
    const drawn = await get(icon, '*/*')
    expect([drawn.status, drawn.type]).toEqual([200, 'image/svg+xml'])
    expect(drawn.text).toMatch(/^<svg[^>]*>.*<text[^>]*>.<\/text><\/svg>$/u)
    expect(drawn.headers.get('content-security-policy')).toContain('sandbox')
    await scene.database.owner.query(
      "INSERT INTO portals (account_id, logo, logo_type) VALUES ($1, 'picture', 'image/png')",
      [scene.account.id],
    )
    const logo = await get(icon, '*/*')
    expect([logo.status, logo.type, logo.text]).toEqual([200, 'image/png', 'picture'])
  })

  it('of an account that does not exist is not there', async () => {
    expect((await get('/portal/unknown/favicon.ico', 'image/*')).status).toBe(404)
  })
})

describe('when the database is gone', () => {
  let database: TestDatabase
  let app: TestApp
  let link: string
  beforeAll(async () => {
    database = await createDatabase()
    app = await startApp(database)
    const account = await buildAccount(database)
    const campaign = await buildCampaign(database, account.id, { destination_url: 'https://shop.example/' })
    link = `/r/${account.slug}/${(await buildAffiliate(database, account.id, campaign.id)).token}`
    await database.db.close()
  })
  afterAll(async () => {
    await app.close()
    database.db.close = async () => {}
    await database.drop()
  })

  it('people see an error page with the same status', async () => {
    for (const path of [link, '/portal', '/portal/acme', '/portal/acme/sign-in/abc']) {
      const { status, type, text, headers } = await get(path, BROWSER, app.url)
      expect([path, status, type]).toEqual([path, 503, HTML_TYPE])
      expect(headers.get('retry-after')).toMatch(/^[1-9]/)
      expect(text).toContain('Temporarily unavailable')
      expect(text).not.toMatch(/postgres|ECONN|pool/i)
    }
  })
})
