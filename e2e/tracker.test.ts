/** The whole way of a visitor, in a real browser: an affiliate's link, the merchant's page on another origin, a sale. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import type { Affiliate, Campaign } from '@tributary/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { describeInBrowser, newVisitor, type Visitor } from './support/browser.ts'
import { checkout, must } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { sharedProgramme } from './support/shared.ts'
import type { SharedService } from './support/shared-parts.ts'

const WINDOW_DAYS = 45

const journey = () => {
  let service: SharedService
  let merchant: Server
  let site: string
  let programme: Programme
  const campaigns = {} as Record<'last_click' | 'first_click', Campaign>
  const affiliates: Affiliate[] = []

  /** Every page of the merchant loads the tracker; `/anonymous` forgets to say for whom. */
  const page = (path: string) => {
    const attributes = path === '/anonymous' ? '' : ` data-account="${programme.slug}"`
    return `<!doctype html><title>Shop</title><h1>Welcome</h1><script src="${service.url}/tracker.js"${attributes}></script>`
  }

  async function createCampaign(model: 'last_click' | 'first_click') {
    const args = ['campaign', 'create', '--account', String(programme.accountId), '--name', model, '--json']
    const terms = ['--attribution-model', model, '--attribution-window-days', WINDOW_DAYS.toString()]
    const lead = ['--destination-url', `${site}/landing`]
    campaigns[model] = JSON.parse(await must([...args, ...terms, ...lead], service.env))
  }

  beforeAll(async () => {
    ;({ programme, ...service } = await sharedProgramme())
    merchant = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(page(new URL(request.url ?? '/', 'http://x').pathname))
    }).listen(0, '127.0.0.1')
    await once(merchant, 'listening')
    site = `http://localhost:${(merchant.address() as AddressInfo).port}`
    await createCampaign('last_click')
    await createCampaign('first_click')
    const client = api(service.url, programme.key)
    for (const email of ['anna@example.com', 'ben@example.com']) {
      let enrolled: Affiliate | undefined
      for (const { id: campaign_id } of Object.values(campaigns))
        enrolled = await client.affiliates.create({ email, campaign_id })
      affiliates.push(await client.affiliates.update(enrolled?.id as number, { status: 'approved' }))
    }
  })
  afterAll(() => merchant?.close().closeAllConnections())

  const visitors: Visitor[] = []
  afterEach(async () => {
    for (const { context, requests, errors } of visitors.splice(0)) {
      await context.close()
      expect(errors).toEqual([])
      const origins = new Set(requests.map(url => new URL(url).origin))
      expect([...origins].filter(origin => origin !== site && origin !== service.url)).toEqual([])
    }
  })

  /** Whatever this visitor does, no page may throw, and no other host may be asked for anything. */
  async function visitor() {
    const made = await newVisitor()
    visitors.push(made)
    const { tab, requests } = made
    const go = async (url: string) => {
      await tab.goto(url)
      await tab.evaluate('window.Tributary.ready()')
    }
    return {
      ...made,
      go,
      follow: (affiliate: Affiliate | undefined, campaign: Campaign) =>
        go(`${service.url}/r/${programme.slug}/${affiliate?.token}/${campaign.slug}`),
      clickId: () => tab.evaluate<number | null>('window.Tributary.clickId()'),
      beacons: () => requests.filter(url => url === `${service.url}/t/clicks`).length,
    }
  }

  /** The merchant's backend reports a customer with a first sale. */
  async function convert(campaign: Campaign, clickId: number | null) {
    const customer_ref = `customer-${clickId}`
    const sale = { external_id: `sale-${clickId}`, amount_minor: 10_000, currency: 'USD' }
    const report = { campaign_id: campaign.id, customer_ref, click_id: clickId as number, sale }
    const { status, data } = await api(service.url, programme.key).conversions.create(report).withResponse()
    return { status, ...data }
  }

  test('a link, the landing page, a cookie for the window, and the sale is the affiliate’s', async () => {
    const [anna] = affiliates
    const { context, tab, follow, clickId, go } = await visitor()
    await follow(anna, campaigns.last_click)
    const id = await clickId()
    expect(id).toBeGreaterThan(0)
    expect(tab.url()).toBe(`${site}/landing?via=${anna?.token}&click_id=${id}`)
    const kept = (await context.cookies()).find(({ name }) => name === 'tributary')
    expect(kept).toMatchObject({ value: String(id), domain: 'localhost', path: '/', sameSite: 'Lax' })
    expect(Math.abs((kept?.expires ?? 0) - (Date.now() / 1000 + WINDOW_DAYS * 86_400))).toBeLessThan(60)
    await go(`${site}/checkout`)
    expect(await clickId()).toBe(id)
    const { status, referral, commissions, attribution } = await convert(campaigns.last_click, id)
    expect([status, referral?.affiliate_id]).toEqual([201, anna?.id])
    expect(commissions.map(({ amount_minor }) => amount_minor)).toEqual([2000])
    expect(attribution.candidates).toEqual([
      expect.objectContaining({ source: 'click', click_id: id, affiliate_id: anna?.id, outcome: 'won' }),
    ])
    const explained = [
      'explain',
      '--account',
      String(programme.accountId),
      '--referral',
      String(referral?.id),
    ]
    expect(await must(explained, service.env)).toContain(`won: click ${id} by affiliate ${anna?.id}`)
  })

  test.each([
    ['last_click', 1],
    ['first_click', 0],
  ] as const)('two affiliates sent one visitor: %s credits number %i', async (model, winner) => {
    const { follow, clickId } = await visitor()
    await follow(affiliates[0], campaigns[model])
    const first = await clickId()
    await follow(affiliates[1], campaigns[model])
    const second = await clickId()
    expect(second).not.toBe(first)
    const { status, referral, attribution } = await convert(campaigns[model], second)
    expect([status, referral?.affiliate_id]).toEqual([201, affiliates[winner]?.id])
    expect(attribution.candidates.map(({ click_id, outcome }) => [click_id, outcome])).toEqual([
      [[first, second][winner], 'won'],
      [[second, first][winner], 'lost'],
    ])
  })

  test.each(['via', 'ref'])('a page visited with ?%s= records the click itself', async name => {
    const { go, clickId, beacons } = await visitor()
    await go(`${site}/pricing?${name}=${affiliates[1]?.token}`)
    expect(beacons()).toBe(1)
    const { status, referral } = await convert(campaigns.last_click, await clickId())
    expect([status, referral?.affiliate_id]).toEqual([201, affiliates[1]?.id])
  })

  test('Global Privacy Control: no cookie, no request', async () => {
    const { context, follow, clickId, beacons, go } = await visitor()
    await context.addInitScript(
      'Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { value: true })',
    )
    await follow(affiliates[0], campaigns.last_click)
    await go(`${site}/?ref=${affiliates[0]?.token}`)
    expect([await clickId(), beacons(), await context.cookies()]).toEqual([null, 0, []])
  })

  test('an unknown token: the page works, and only the console has a warning', async () => {
    const { go, tab, clickId, warnings, context } = await visitor()
    await go(`${site}/?via=unknown`)
    expect(await tab.locator('h1').textContent()).toBe('Welcome')
    expect([await clickId(), await context.cookies()]).toEqual([null, []])
    expect(warnings).toEqual(['Tributary could not record the click: HTTP 422'])
  })

  test('without data-account it does nothing, and throws nothing', async () => {
    const { go, clickId, beacons } = await visitor()
    await go(`${site}/anonymous?via=${affiliates[0]?.token}`)
    expect([await clickId(), beacons()]).toEqual([null, 0])
  })

  test('malformed cookies and queries do no harm', async () => {
    const { context, go, clickId } = await visitor()
    const spoilt = { tributary: '%', tributary_visitor: 'x' }
    await context.addCookies(Object.entries(spoilt).map(([name, value]) => ({ name, value, url: site })))
    await go(site)
    expect(await clickId()).toBeNull()
    await go(`${site}/?via=${affiliates[0]?.token}&click_id=1.5`)
    expect(await clickId()).toBeGreaterThan(0)
  })
}

describeInBrowser('in Chromium', journey)

test('the tracker is a small, plain script', () => {
  const source = readFileSync(join(checkout, 'web/tracker.js'), 'utf8')
  expect(() => new Script(source)).not.toThrow()
  expect(gzipSync(source).length).toBeLessThan(2_500)
})
