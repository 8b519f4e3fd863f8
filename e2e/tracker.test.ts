/** The whole way of a visitor, in a real browser: an affiliate's link, the merchant's page on another origin, a sale. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Affiliate, Campaign } from '@tributary/sdk'
import type { BrowserContext, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { describeInBrowser, newVisitor, type Visitor } from './support/browser.ts'
import { turnTo } from './support/pages.ts'
import { must } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { sharedProgramme } from './support/shared.ts'
import type { SharedService } from './support/shared-parts.ts'

const WINDOW_DAYS = 45

/** Every kind of checkout, as its provider documents it, and what is none. Paddle's own script is replaced by one that tells what it is given. */
const CHECKOUTS = `
  <a id="plain" href="https://buy.stripe.com/test_1">Buy</a>
  <a id="query" href="https://buy.stripe.com/test_2?prefilled_email=a%20b%40x.example&x#top">Buy</a>
  <a id="own" href="https://buy.stripe.com/test_3?client_reference_id=order-7">Buy</a>
  <a id="domain" data-tributary href="https://pay.shop.example/b/1">Buy</a>
  <svg><a data-tributary href="https://buy.stripe.com/test_0"></a></svg>
  <a id="docs" href="https://docs.stripe.com/payments">Docs</a>
  <stripe-pricing-table id="table"></stripe-pricing-table>
  <stripe-pricing-table id="own-table" client-reference-id="user-7"></stripe-pricing-table>
  <stripe-buy-button id="button"></stripe-buy-button>
  <a class="paddle_button" id="paddle" data-custom-data='{"plan":"pro"}'>Buy</a>
  <a class="paddle_button" id="paddle-made" data-transaction-id="txn_1">Buy</a>
  <a class="paddle_button" id="paddle-broken" data-custom-data="{">Buy</a>`
const BEACONS = '**/t/clicks'
const lost: Record<string, (route: Route) => Promise<void>> = {
  'the request never arrives': route => route.abort(),
  'the service is overloaded': route => route.fulfill({ status: 503 }),
  // As when the visitor opens the next page before the response.
  'the response never arrives': async route => {
    await route.fetch()
    await route.abort()
  },
}
/** As in a browser that blocks storage for the site. */
const blockStorage = (context: BrowserContext) =>
  context.addInitScript(`Object.defineProperty(window, 'sessionStorage', {
    get() { throw new DOMException('Access is denied', 'SecurityError') } })`)
const PADDLE = 'window.opened = []; window.Paddle = { Checkout: { open: options => opened.push(options) } }'

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
    const tracker = `<script src="${service.url}/tracker.js"${attributes}></script>`
    const body = path === '/buy' ? CHECKOUTS : path === '/twice' ? tracker : ''
    return `<!doctype html><title>Shop</title><h1>Welcome</h1>${body}${tracker}`
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
      const { pathname } = new URL(request.url ?? '/', 'http://x')
      response.setHeader('Content-Type', pathname === '/paddle.js' ? 'text/javascript' : 'text/html')
      response.end(pathname === '/paddle.js' ? PADDLE : page(pathname))
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
      const origins = new Set(
        requests.map(url => new URL(url).origin.replace(/\/\/\w+\.shop\.test:/, '//localhost:')),
      )
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

  const linkedClick = (url: string) => Number(new URL(url).searchParams.get('click_id'))

  test.each(Object.keys(lost))('the next page of the session sends a click again if %s', async how => {
    const { context, tab, follow, clickId, go, beacons } = await visitor()
    await context.route(BEACONS, lost[how] as (route: Route) => Promise<void>)
    await follow(affiliates[0], campaigns.last_click)
    const id = linkedClick(tab.url())
    expect(await clickId()).toBeNull()
    await context.unroute(BEACONS)
    await go(`${site}/pricing`)
    // Not a second click, of a second visitor: the email is linked to the one of the link.
    expect(await clickId()).toBe(id)
    expect(await tab.evaluate(`tributary.lead('ada@example.com')`)).toBe(true)
    await go(`${site}/checkout`)
    expect([await clickId(), beacons()]).toEqual([id, 2])
  })

  test('a click is sent a few times at most, and once if it is refused', async () => {
    const { context, tab, follow, go, beacons } = await visitor()
    await context.route(BEACONS, route => route.abort())
    await follow(affiliates[0], campaigns.last_click)
    for (let pages = 1; pages <= 8; pages++) await go(`${site}/pricing?page=${pages}`)
    expect(beacons()).toBe(5)
    await context.unroute(BEACONS)
    await go(`${site}/?via=unknown&click_id=999999999999999`)
    await go(`${site}/pricing`)
    expect([beacons(), await tab.evaluate('sessionStorage.length')]).toEqual([6, 0])
  })

  test('a click that was not recorded takes nothing from a newer one, and keeps its visitor', async () => {
    const { context, follow, clickId, go, beacons } = await visitor()
    await context.route(BEACONS, lost['the response never arrives'] as (route: Route) => Promise<void>)
    await follow(affiliates[0], campaigns.first_click)
    await context.unroute(BEACONS)
    await go(`${site}/pricing?via=${affiliates[1]?.token}`)
    const id = await clickId()
    await go(`${site}/pricing`)
    expect([await clickId(), beacons()]).toEqual([id, 2])
    await follow(affiliates[1], campaigns.first_click)
    const { referral } = await convert(campaigns.first_click, await clickId())
    expect(referral?.affiliate_id).toBe(affiliates[0]?.id)
  })

  test('where storage is blocked, clicks are recorded all the same', async () => {
    const { context, follow, clickId, go } = await visitor()
    await blockStorage(context)
    await context.route(BEACONS, route => route.abort())
    await follow(affiliates[0], campaigns.last_click)
    await context.unroute(BEACONS)
    await go(`${site}/pricing`)
    expect(await clickId()).toBeNull()
    await follow(affiliates[0], campaigns.last_click)
    expect(await clickId()).toBeGreaterThan(0)
  })

  test('a page with a token that is reloaded, or returned to, is no new click, unless there is none', async () => {
    const { context, tab, follow, clickId, go, beacons } = await visitor()
    const ready = () => tab.evaluate('window.Tributary.ready()')
    await go(`${site}/pricing?via=${affiliates[0]?.token}`)
    await tab.reload()
    await ready()
    expect(beacons()).toBe(1)
    await follow(affiliates[1], campaigns.last_click)
    const id = await clickId()
    await tab.goBack()
    await ready()
    expect([await clickId(), beacons()]).toEqual([id, 2])
    await context.clearCookies()
    await tab.reload()
    await ready()
    expect([(await clickId()) === id, beacons()]).toEqual([false, 3])
    // Followed again on purpose.
    await go(`${site}/pricing?via=${affiliates[0]?.token}`)
    expect(beacons()).toBe(4)
  })

  test('a page with a token that is reloaded because its visit was not recorded is a click', async () => {
    const { context, tab, follow, clickId, go, beacons } = await visitor()
    await follow(affiliates[0], campaigns.last_click)
    const before = await clickId()
    await context.route(BEACONS, route => route.fulfill({ status: 503 }))
    await go(`${site}/pricing?via=${affiliates[1]?.token}`)
    expect(await clickId()).toBe(before)
    await context.unroute(BEACONS)
    await tab.reload()
    await tab.evaluate('window.Tributary.ready()')
    expect(await clickId()).toBeGreaterThan(before as number)
    expect(beacons()).toBe(3)
  })

  test('going back to a page with an older click keeps the newer one', async () => {
    const { tab, follow, clickId, go, beacons } = await visitor()
    await follow(affiliates[0], campaigns.last_click)
    const older = await clickId()
    await go(`${site}/pricing?click_id=${older}`)
    await follow(affiliates[1], campaigns.last_click)
    const newer = await clickId()
    await tab.goBack()
    await tab.evaluate('window.Tributary.ready()')
    expect([tab.url(), await clickId(), beacons()]).toEqual([`${site}/pricing?click_id=${older}`, newer, 2])
  })

  test('a copied address that is reloaded is no further click', async () => {
    const first = await visitor()
    await first.follow(affiliates[0], campaigns.last_click)
    const { tab, go, clickId, beacons } = await visitor()
    await go(first.tab.url())
    const id = await clickId()
    await tab.reload()
    await tab.evaluate('window.Tributary.ready()')
    expect([await clickId(), beacons()]).toEqual([id, 1])
    expect(id).toBeGreaterThan(linkedClick(tab.url()))
  })

  test('a page that loads the script twice has one visitor and one click', async () => {
    const { tab, clickId, go, beacons } = await visitor()
    await go(`${site}/twice?via=${affiliates[0]?.token}`)
    expect([beacons(), await tab.evaluate(`tributary.lead('ada@example.com')`)]).toEqual([1, true])
    expect(await clickId()).toBeGreaterThan(0)
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

  test('checkouts on the page get the click, whenever they appear; what the page set itself stays', async () => {
    const { go, tab, clickId } = await visitor()
    await go(`${site}/buy?via=${affiliates[0]?.token}`)
    const id = String(await clickId())
    const attribute = (name: string, of: string) => tab.locator(`#${of}`).getAttribute(name)
    const links = ['plain', 'query', 'own', 'domain', 'docs'].map(link => attribute('href', link))
    expect(await Promise.all(links)).toEqual([
      `https://buy.stripe.com/test_1?client_reference_id=tributary_${id}`,
      `https://buy.stripe.com/test_2?prefilled_email=a%20b%40x.example&x&client_reference_id=tributary_${id}#top`,
      'https://buy.stripe.com/test_3?client_reference_id=order-7',
      `https://pay.shop.example/b/1?client_reference_id=tributary_${id}`,
      'https://docs.stripe.com/payments',
    ])
    const elements = ['table', 'own-table', 'button'].map(each => attribute('client-reference-id', each))
    expect(await Promise.all(elements)).toEqual([`tributary_${id}`, 'user-7', `tributary_${id}`])
    const buttons = ['paddle', 'paddle-made', 'paddle-broken'].map(each =>
      attribute('data-custom-data', each),
    )
    expect(await Promise.all(buttons)).toEqual([`{"plan":"pro","tributary_click_id":"${id}"}`, null, '{'])

    expect(await tab.evaluate(`tributary.lead('ada@example.com')`)).toBe(true)

    // Later, as an app renders it.
    await tab.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<a id="late" href="https://buy.stripe.com/test_4">Buy</a>')`,
    )
    await expect.poll(() => attribute('href', 'late')).toContain(`client_reference_id=tributary_${id}`)
    // Once the page sets a reference itself, it stays.
    const own = 'https://buy.stripe.com/test_1?client_reference_id=user-42'
    await tab.evaluate(`document.getElementById('plain').href = '${own}'`)
    await tab.evaluate(`document.getElementById('late').href = 'https://buy.stripe.com/test_5'`)
    await expect
      .poll(() => attribute('href', 'late'))
      .toBe(`https://buy.stripe.com/test_5?client_reference_id=tributary_${id}`)
    expect(await attribute('href', 'plain')).toBe(own)
    await tab.addScriptTag({ url: `${site}/paddle.js` })
    const opened = await tab.evaluate(`Paddle.Checkout.open({ items: [1], customData: { plan: 'pro' } });
      Paddle.Checkout.open({ customData: { tributary_click_id: '7', plan: 'pro' } });
      Paddle.Checkout.open({ transactionId: 'txn_1' }); Paddle.Checkout.open(); opened`)
    expect(opened).toEqual([
      { items: [1], customData: { plan: 'pro', tributary_click_id: id } },
      { customData: { tributary_click_id: '7', plan: 'pro' } },
      { transactionId: 'txn_1' },
      undefined,
    ])
  })

  test('a visitor without a click leaves every checkout as it is, and is no lead', async () => {
    const { go, tab, requests } = await visitor()
    await go(`${site}/buy`)
    expect(await tab.evaluate(`tributary.lead('ada@example.com')`)).toBe(false)
    expect(requests).not.toContain(`${service.url}/t/leads`)
    expect(await tab.locator('body').innerHTML()).not.toMatch(
      /client_reference_id=(?!order-7)|tributary_click_id/,
    )
  })

  test('Settings → Tracking: the snippet, shared cookies, and a click that arrives while you watch', async () => {
    const { tab } = await newVisitor()
    await tab.goto(`${service.url}/dashboard/signin`)
    await tab.getByLabel('Email').fill(programme.owner.email)
    await tab.getByLabel('Password').fill(programme.owner.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL('**/overview')
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await turnTo(tab, `${service.url}/dashboard/${programme.slug}/settings/tracking`)
    const snippet = await tab.getByRole('region', { name: 'script' }).innerText()
    expect(snippet).toBe(
      `<script src="${service.url}/tracker.js" data-account="${programme.slug}" async></script>`,
    )
    await tab.getByText('http://localhost', { exact: true }).waitFor()
    await tab.getByLabel('Share cookies across subdomains').click()
    await tab.getByText('Cookie setting saved').waitFor()
    await tab.getByRole('button', { name: 'Verify installation' }).click()
    await tab.getByText('Waiting for a click…').waitFor()

    const { go, clickId, context } = await visitor()
    const www = site.replace('localhost', 'www.shop.test')
    const landing = `${www}/pricing?via=${affiliates[0]?.token}`
    await go(landing)
    expect(await clickId()).toBeNull()
    await tab.getByText('Click received from a site that isn’t allowed').waitFor()
    await tab.getByRole('button', { name: 'Allow http://www.shop.test' }).click()
    await tab.getByText('Waiting for a click…').waitFor()
    await go(landing)
    const id = await clickId()
    expect(id).toBeGreaterThan(0)
    await tab.getByText('The script works').waitFor()
    await tab.getByText('The script on http://www.shop.test reported a click').waitFor()
    await go(www.replace('www.', 'app.'))
    expect(await clickId()).toBe(id)
    const names = (await context.cookies()).map(({ name, domain }) => `${name} ${domain}`)
    expect(names.toSorted()).toEqual(['tributary .shop.test', 'tributary_visitor .shop.test'])

    // Cookies of the host from before are sent first, and would hide it from the backend.
    const shared = await context.cookies()
    const ofHost = (click: string) =>
      [
        { name: 'tributary', value: click },
        { name: 'tributary_visitor', value: '0'.repeat(32) },
      ].map(cookie => ({ ...cookie, url: www }))
    const values = async () => (await context.cookies()).map(({ name, value }) => [name, value]).toSorted()
    const before = await values()
    await context.addCookies(ofHost('1'))
    await go(www)
    expect([await clickId(), await values()]).toEqual([id, before])
    // The click has left its window, and the visitor stays for a year.
    await context.addCookies(ofHost('1').slice(1))
    await go(www)
    expect(await values()).toEqual(before)
    // If the host's are newer, they replace the shared ones.
    await context.addCookies(ofHost(`${Number(id) + 1}`))
    await go(www)
    expect(await values()).toEqual([
      ['tributary', `${Number(id) + 1}`],
      ['tributary_visitor', '0'.repeat(32)],
    ])
    expect((await context.cookies()).map(({ domain }) => domain)).toEqual(['.shop.test', '.shop.test'])
    await context.clearCookies()
    await context.addCookies(shared)

    // Off again: the next click is the host's alone, and the shared one is gone.
    await tab.getByLabel('Share cookies across subdomains').click()
    await expect.poll(() => tab.getByLabel('Share cookies across subdomains').isChecked()).toBe(false)
    await go(`${www}/pricing?via=${affiliates[1]?.token}`)
    expect(await clickId()).not.toBe(id)
    expect((await context.cookies()).map(({ domain }) => domain)).toEqual(['www.shop.test', 'www.shop.test'])
    await tab.context().close()
  })
}

describeInBrowser('in Chromium', journey)
