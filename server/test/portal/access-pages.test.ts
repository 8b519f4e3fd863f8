/** The pages that links open work without scripts, send no referrer, and set the right cookie. */
import { beforeEach, describe, expect, it } from 'vitest'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { buildAccount, buildAffiliate, buildCampaign, type TestAccount } from '../factories.ts'
import { useScene } from '../harness.ts'
import { linkFor, PortalBrowser } from './affiliate.ts'
import { emails, linkIn, write } from './emails.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
let affiliateId: number
beforeEach(async () => {
  const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  affiliateId = id
})
const browser = (account: Pick<TestAccount, 'slug'> = scene.account) =>
  new PortalBrowser(scene.app, account.slug)

/** A confirmation link, taken from the email. */
async function joinLink(): Promise<string> {
  const open = { visibility: 'public', open_enrollment: true } as const
  const campaign = await buildCampaign(scene.database, scene.account.id, open)
  const email = `j${campaign.id}@example.com`
  await browser().ask('requestToJoin', { body: { email, campaign_id: campaign.id } })
  await write(scene)
  return linkIn((await emails(scene, email))[0] as never)
}

describe('the pages', () => {
  it('of an unknown portal show a message', async () => {
    for (const path of ['/portal/unknown', '/portal/unknown/links', '/portal/unknown/enter/x']) {
      const { status, text, headers } = await browser().get(path)
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
      expect(text).toContain('Page not found')
    }
  })

  it("submit automatically only for links from the company's own site, and always have a button", async () => {
    const link = await linkFor(scene, affiliateId)
    for (const [path, submitsItself] of [
      [link, true],
      [link.replace('/sign-in/', '/enter/'), false],
      [await joinLink(), false],
    ] as const) {
      const { text } = await browser().get(path)
      expect(text).toMatch(/<form method="post"><button[^>]*>[^<]+<\/button><\/form>/)
      expect([path, /<script/.test(text)]).toEqual([path, submitsItself])
      expect(text).not.toMatch(/<script(?![^>]* src="\/assets\/access-page\.js")/)
    }
    const script = await browser().get('/assets/access-page.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect((await browser().get('/assets/access-page.css')).status).toBe(200)
    expect((await browser().post(link.replace('/sign-in/', '/enter/'))).status).toBe(303)
  })

  it('of a confirmation show when it is no longer valid', async () => {
    const spoil: Record<string, string> = {
      used: 'UPDATE portal_joins SET used_at = now() WHERE account_id = $1',
      'too old': 'UPDATE portal_joins SET expires_at = now() WHERE account_id = $1',
      'of a campaign that has closed': 'UPDATE campaigns SET open_enrollment = false WHERE account_id = $1',
    }
    for (const [name, statement] of Object.entries(spoil)) {
      const link = await joinLink()
      expect([name, (await browser().get(link)).status]).toEqual([name, 200])
      await scene.database.owner.query(statement, [scene.account.id])
      const { status, text } = await browser().get(link)
      expect([name, status, /Get a new link/.test(text)]).toEqual([name, 410, true])
      expect((await browser().post(link)).status).toBe(410)
    }
  })

  it('send no referrer, and can be framed only by allowed origins', async () => {
    const account = await buildAccount(scene.database)
    const link = `/portal/${account.slug}/sign-in/abc`
    const headersOf = async (path: string, method = 'GET') => {
      const { headers } = await browser().send(method, path)
      return [
        headers.get('referrer-policy'),
        headers.get('x-content-type-options'),
        headers.get('content-security-policy')?.split('; ').at(-1),
        /script-src 'self'(;|$)/.test(headers.get('content-security-policy') ?? ''),
      ]
    }
    const paths: [string, string?][] = [[link], [link, 'POST'], [`/portal/${account.slug}`]]
    for (const [path, method] of paths)
      expect(await headersOf(path, method)).toEqual([
        'no-referrer',
        'nosniff',
        "frame-ancestors 'none'",
        true,
      ])
    const origins = ['https://app.example.com', 'https://b.example:8443']
    await changePortal(scene.database.db, account.id, scene.app.services.baseUrl, { frame_origins: origins })
    for (const [path, method] of paths)
      expect((await headersOf(path, method))[2]).toBe(
        'frame-ancestors https://app.example.com https://b.example:8443',
      )
    for (const [path, method] of paths.slice(0, 2))
      expect((await browser().send(method ?? 'GET', path)).headers.get('cache-control')).toMatch(/no-store/)
  })

  it.each<[name: string, secure: boolean, framed: boolean, cookie: RegExp]>([
    ['plain http', false, false, /^portal-[\w-]+=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/],
    [
      'plain http in frames',
      false,
      true,
      /^framed-portal-[\w-]+=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    ],
    [
      'https',
      true,
      false,
      /^__Host-portal-[\w-]+=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ],
    [
      'https in frames',
      true,
      true,
      /^__Host-framed-portal-[\w-]+=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; Partitioned; SameSite=None$/,
    ],
  ])('give a cookie fit for %s', async (_name, secure, framed, cookie) => {
    const account = await buildAccount(scene.database)
    const campaign = await buildCampaign(scene.database, account.id)
    const { id } = await buildAffiliate(scene.database, account.id, campaign.id)
    const frame_origins = framed ? ['https://app.example.com'] : []
    await changePortal(scene.database.db, account.id, scene.app.services.baseUrl, { frame_origins })
    const one = new PortalBrowser(scene.app, account.slug)
    const headers = { 'x-forwarded-proto': secure ? 'https' : 'http' }
    const entered = await one.post(await linkFor({ app: scene.app, account }, id), headers)
    expect(entered.headers.getSetCookie()).toEqual([expect.stringMatching(cookie)])
    const { body } = await one.call('getMe', { headers })
    const left = await one.call('signOut', { headers: { ...headers, 'tributary-csrf': body.csrf_token } })
    // A cookie is only cleared by one with the same attributes.
    expect(left.headers.getSetCookie()).toContain(
      entered.headers
        .getSetCookie()[0]
        ?.replace(/=[\w-]{43};/, '=;')
        .replace(/Max-Age=\d+/, 'Max-Age=0'),
    )
  })
})

/** Cookies as a browser keeps them over TLS: a partitioned one is beside another of its name, and the older is sent first. */
class CookieJar {
  readonly #kept = new Map<string, string>()
  readonly #browser: PortalBrowser

  constructor(browser: PortalBrowser) {
    this.#browser = browser
  }

  keep(line: string): void {
    const [pair = ''] = line.split(';')
    const key = `${pair.split('=')[0]}${/; Partitioned/.test(line) ? ' partitioned' : ''}`
    if (/Max-Age=0/.test(line)) this.#kept.delete(key)
    else this.#kept.set(key, pair)
  }

  async send(method: string, path: string, csrf?: string) {
    const headers = {
      'x-forwarded-proto': 'https',
      origin: this.#browser.app.url.replace('http:', 'https:'),
      cookie: [...this.#kept.values()].join('; '),
      'tributary-csrf': csrf,
    }
    const answer = await this.#browser.send(method, path, headers)
    for (const line of answer.headers.getSetCookie()) this.keep(line)
    return answer
  }
}

describe('a session of a portal whose embed origins change', () => {
  const ORIGINS = ['https://app.example.com']

  async function ground(before: string[]) {
    const account = await buildAccount(scene.database)
    const campaign = await buildCampaign(scene.database, account.id)
    const allow = (frame_origins: string[]) =>
      changePortal(scene.database.db, account.id, scene.app.services.baseUrl, { frame_origins })
    await allow(before)
    const jar = new CookieJar(new PortalBrowser(scene.app, account.slug))
    const api = `/portal/${account.slug}/api`
    return {
      jar,
      allow,
      slug: account.slug,
      /** Signs a new affiliate in, by a link. */
      async enter() {
        const { id } = await buildAffiliate(scene.database, account.id, campaign.id)
        const path = await linkFor({ app: scene.app, account }, id)
        expect((await jar.send('POST', path)).status).toBe(303)
        return id
      },
      async who(): Promise<number> {
        const { status, body } = await jar.send('GET', `${api}/me`)
        return status === 200 ? body.id : status
      },
      async leave() {
        const { body } = await jar.send('GET', `${api}/me`)
        expect((await jar.send('DELETE', `${api}/session`, body.csrf_token)).status).toBe(200)
      },
    }
  }

  it.each([
    ['added', [], ORIGINS],
    ['removed', ORIGINS, []],
  ])('goes on, and a later one replaces it, when they are %s', async (_what, before, after) => {
    const { allow, enter, who, leave } = await ground(before)
    const first = await enter()
    await allow(after)
    expect(await who()).toBe(first)
    const second = await enter()
    expect(await who()).toBe(second)
    await leave()
    expect(await who()).toBe(401)
  })

  it('ends on sign-out under the other name, too', async () => {
    const { allow, enter, who, leave } = await ground([])
    await enter()
    await allow(ORIGINS)
    await leave()
    expect(await who()).toBe(401)
  })

  it('is not hidden by a partitioned cookie of an earlier version', async () => {
    const { jar, enter, who, leave, slug } = await ground([])
    jar.keep(`__Host-portal-${slug}=${'x'.repeat(43)}; Max-Age=9; Path=/; Secure; Partitioned; SameSite=None`)
    const id = await enter()
    expect(await who()).toBe(id)
    await leave()
    expect(await who()).toBe(401)
  })
})
