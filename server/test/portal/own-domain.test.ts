/** Protects the white label: under an account's own domain there is its portal and its links, and nothing of the program behind it. */
import { request } from 'node:http'
import type { Affiliate, Campaign } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mintMagicLink } from '../../src/programme/magic-links/mint-magic-link.ts'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { buildAccount } from '../factories.ts'
import { startApp, type TestApp, useScene } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { rawRequest, sendRaw } from '../raw-http.ts'
import { emails, write } from './emails.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const DOMAIN = 'partners.acme.example'
let campaign: Campaign
let affiliate: Affiliate
/** A second process over the same database. */
let another: TestApp

interface Reply {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
}

/** Node's own client: fetch does not allow setting the Host header. */
function ask(
  app: TestApp,
  path: string,
  { method = 'GET', host = DOMAIN, body, ...rest }: { [header: string]: string | undefined } = {},
): Promise<Reply> {
  const headers = Object.fromEntries(Object.entries({ ...rest, host }).filter(([, value]) => value))
  return new Promise((resolve, reject) => {
    const sent = request(`${app.url}${path}`, { method, headers: headers as Record<string, string> })
    sent.on('error', reject)
    sent.on('response', async answer => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
    })
    sent.end(body)
  })
}

const portal = (domain: string | null) =>
  changePortal(scene.database.db, scene.account.id, scene.app.services.baseUrl, { domain })
const showsPortal = ({ text }: Reply) => text.includes('"base":""')

/** Waits for the next look at the domains, in every process. */
const known = (app: TestApp, host: string) =>
  vi.waitFor(async () => expect(showsPortal(await ask(app, '/', { host }))).toBe(true), { timeout: 25_000 })

beforeAll(async () => {
  another = await startApp(scene.database, { TRIBUTARY_TRUST_PROXY: 'true' })
  campaign = await openCampaign(scene.database, scene.account.id, {
    destination_url: 'https://shop.example/',
    visibility: 'public',
    open_enrollment: true,
  })
  affiliate = await approvedAffiliate(scene, campaign.id)
  await portal(DOMAIN)
  await known(scene.app, DOMAIN)
})
afterAll(() => another?.close())

it.each(['/', '/links', '/sign-in', '/join', '/?utm_source=x', '/portal', '/unknown/page'])(
  '%s is the portal',
  async path => {
    const reply = await ask(scene.app, path)
    expect([reply.status, showsPortal(reply)]).toEqual([200, true])
    expect(reply.text).not.toContain('/portal/')
  },
)

it.each([DOMAIN.toUpperCase(), `${DOMAIN}:8443`, `${DOMAIN}.`, `${DOMAIN}.:8443`])(
  'the host may be written %s',
  async host => {
    expect(showsPortal(await ask(scene.app, '/', { host }))).toBe(true)
  },
)

it.each([
  '/dashboard',
  '/dashboard/api/setup',
  '/api/v1/campaigns',
  '/ingest/v1/sales',
  '/docs',
  '/openapi.json',
  '/metrics',
  '/readyz',
  '//dashboard',
])('%s is not reachable there', async path => {
  const elsewhere = await ask(scene.app, path, { host: 'programme.example' })
  const { text, status, headers } = await ask(scene.app, path)
  if (status === 200) expect(showsPortal({ text, status, headers })).toBe(true)
  else expect(status).toBe(404)
  expect(text).not.toMatch(/Tributary dashboard|RateLimit|tributary_http/)
  expect(headers['ratelimit-policy']).toBeUndefined()
  expect(elsewhere.text === text && status === 200).toBe(false)
})

it('a request line that names another host or path does not slip through', async () => {
  for (const line of [
    'GET http://programme.example/dashboard HTTP/1.1',
    `GET http://${DOMAIN}/dashboard HTTP/1.1`,
    'OPTIONS * HTTP/1.1',
    'GET /r/../dashboard HTTP/1.1',
    'GET /r/../../dashboard HTTP/1.1',
    'GET /web/../dashboard HTTP/1.1',
    'GET /web/%2e%2e/dashboard HTTP/1.1',
    'GET /assets/..%2fdashboard HTTP/1.1',
    'GET /t/../dashboard HTTP/1.1',
    'POST /r/x/../../../api/v1/affiliates HTTP/1.1',
  ]) {
    const answer = await sendRaw(
      scene.app.url,
      rawRequest(line).replace('Host: localhost', `Host: ${DOMAIN}\r\nAccept: application/json`),
    )
    expect([line, answer.split('\r\n')[0]]).toEqual([line, 'HTTP/1.1 404 Not Found'])
  }
})

it('an unknown host is the service itself, and so is one that only looks like the domain', async () => {
  for (const host of [
    'programme.example',
    'evil.example',
    `x.${DOMAIN}`,
    `${DOMAIN}.evil.example`,
    'acme.example',
  ]) {
    const { status, headers } = await ask(scene.app, '/', { host })
    expect([host, status, headers.location]).toEqual([host, 302, '/dashboard'])
  }
})

describe('an affiliate', () => {
  it('signs in there by a link that names it, and stays on it', async () => {
    const { url } = await mintMagicLink(scene.app.services, scene.account.id, affiliate.id)
    expect(url).toMatch(new RegExp(`^https://${DOMAIN}/sign-in/[\\w-]{43}$`))
    const path = new URL(url).pathname
    const page = await ask(scene.app, path)
    expect(page.text).toContain('<form method="post">')
    for (const asset of ['/assets/access-page.css', '/assets/access-page.js'])
      expect((await ask(scene.app, asset)).status).toBe(200)
    const origin = `https://${DOMAIN}`
    expect((await ask(scene.app, path, { method: 'POST', origin: 'https://evil.example' })).status).toBe(401)
    const entered = await ask(scene.app, path, { method: 'POST', origin, 'x-forwarded-proto': 'https' })
    expect([entered.status, entered.headers.location]).toEqual([303, '/'])
    const [set = ''] = entered.headers['set-cookie'] ?? []
    const cookie = set.split(';')[0] as string
    const https = { 'x-forwarded-proto': 'https', cookie }
    const me = await ask(scene.app, '/api/me', https)
    expect(JSON.parse(me.text)).toMatchObject({ id: affiliate.id })
    const change = (from: string, host = DOMAIN) =>
      ask(scene.app, '/api/me', {
        ...https,
        method: 'PATCH',
        host,
        origin: from,
        'content-type': 'application/json',
        'tributary-csrf': JSON.parse(me.text).csrf_token,
        body: '{"name":"Jane"}',
      })
    expect((await change(origin)).status).toBe(200)
    expect((await change('https://evil.example')).status).toBe(401)
    const links = JSON.parse((await ask(scene.app, '/api/links', https)).text)
    expect(links.data[0].link).toBe(`https://${DOMAIN}/r/${affiliate.token}/${campaign.slug}`)
    expect(JSON.stringify(links)).not.toContain('programme.example')
  })

  it('has links there that lead to the shop', async () => {
    for (const path of [`/r/${affiliate.token}`, `/r/${affiliate.token}/${campaign.slug}`]) {
      const { status, headers } = await ask(scene.app, path)
      expect([status, headers.location?.slice(0, 26)]).toEqual([302, 'https://shop.example/?via='])
    }
    // The token of another account's affiliate is none here.
    const foreign = `/r/${scene.account.slug}/${affiliate.token}`
    expect((await ask(scene.app, foreign, { accept: 'application/json' })).status).toBe(404)
  })

  it('is used in the links of emails', async () => {
    const body = JSON.stringify({ email: affiliate.email })
    const origin = `https://${DOMAIN}`
    const json = { 'content-type': 'application/json' }
    const sent = await ask(scene.app, '/api/sign-in-links', { method: 'POST', origin, body, ...json })
    expect(sent.status).toBe(200)
    await write(scene)
    const [mail] = await emails(scene, affiliate.email)
    expect(mail?.text_body).toMatch(new RegExp(`https://${DOMAIN}/enter/`))
    expect(mail?.text_body).not.toContain('programme.example')
  })
})

it('a domain works a moment after it was added and stops when it is gone, in every process', async () => {
  await known(another, DOMAIN)
  await portal('new.acme.example')
  await known(another, 'new.acme.example')
  await known(scene.app, 'new.acme.example')
  for (const app of [scene.app, another]) expect((await ask(app, '/')).headers.location).toBe('/dashboard')
  const other = await buildAccount(scene.database)
  await changePortal(scene.database.db, other.id, scene.app.services.baseUrl, { domain: DOMAIN })
  await known(another, DOMAIN)
  await known(scene.app, DOMAIN)
})
