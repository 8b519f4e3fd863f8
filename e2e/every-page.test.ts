/** Protects every page on a phone: nothing fails to load, the console stays silent, nothing overflows, everything is reachable by keyboard. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { soon } from './support/until.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

/** How a page detects that no one is signed in. */
const isSessionProbe = (url: string) => /\/api\/(me|session)$/.test(new URL(url).pathname)

/** Boxes that scroll sideways but can't be focused: they need a tab stop with a name, or a focusable element inside. */
const unreachable = `[...document.querySelectorAll('pre, div')]
  .filter(box => box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX))
  .filter(box => !box.querySelector('a[href], button, input, [tabindex="0"]'))
  .filter(box => box.tabIndex < 0 || !box.getAttribute('aria-label') || !box.getAttribute('role'))
  .map(box => box.outerHTML.slice(0, 80))`

describeInBrowser('every page', () => {
  let acme: PortalProgramme
  let affiliateId: number
  let referralId: number
  const problems: string[] = []

  /** Opens the pages one after the other in one tab and records the problems of each. */
  async function check(tab: Page, paths: string[], settle: (tab: Page) => Promise<unknown>): Promise<void> {
    let path = ''
    const note = (what: string) => problems.push(`${path}: ${what}`)
    tab.on('console', message => {
      const { url } = message.location()
      if (['error', 'warning'].includes(message.type()) && !(url && isExpected(url)))
        note(`${message.type()} ${message.text()} ${url}`)
    })
    tab.on('pageerror', error => note(error.message))
    tab.on('requestfailed', request => {
      // Leaving a page aborts its pending requests.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') note(`did not load ${request.url()}`)
    })
    const isExpected = (url: string) => url === acme.service.url + path || isSessionProbe(url)
    tab.on('response', response => {
      if (response.status() >= 400 && !isExpected(response.url()))
        note(`${response.url()} returned ${response.status()}`)
    })
    for (path of paths) {
      await tab.goto(acme.service.url + path)
      await settle(tab)
      const overflow = await tab.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      if (overflow !== 0) note(`overflows by ${overflow} px`)
      for (const box of (await tab.evaluate(unreachable)) as string[])
        note(`can't be reached by keyboard: ${box}`)
      if ((await tab.locator('link[rel=icon]').count()) !== 1) note('has no icon')
    }
  }
  const loaded = (tab: Page) => tab.getByRole('heading').first().waitFor()
  const settled = async (tab: Page) => {
    await loaded(tab)
    await soon(async () => (await tab.getByLabel('Loading').count()) === 0)
    await tab.waitForLoadState('networkidle')
  }

  beforeAll(async () => {
    acme = await startPortalProgramme()
  })
  afterAll(() => acme?.close())

  test('of the documentation, and unknown ones', async () => {
    const index = await (await fetch(`${acme.service.url}/docs`)).text()
    const guides = [...index.matchAll(/href="(\/docs\/[a-z-]+)"/g)].map(([, path]) => path as string)
    const { tab } = await newVisitor(PHONE)
    const paths = ['/docs', ...new Set(guides), '/docs/search?q=refund', '/docs/none', '/docs/none/a/b']
    expect(paths.length).toBeGreaterThan(18)
    await check(tab, [...paths, '/unknown', '/portal/unknown', '/r/unknown/jane'], loaded)
    expect(problems.splice(0)).toEqual([])

    await tab.goto(`${acme.service.url}/docs/reference`)
    const request = tab.locator('figure.samples').first()
    await request.getByText('Python', { exact: true }).click()
    expect(await request.locator('details[open]').count()).toBe(1)
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    // It is shown for a moment only.
    await Promise.all([
      request.getByRole('button', { name: 'Copied' }).waitFor(),
      request.locator('details[open]').getByRole('button', { name: 'Copy' }).click(),
    ])
    expect(await tab.evaluate('navigator.clipboard.readText()')).toMatch(/^import os\nimport requests\n/)
    await tab.getByRole('searchbox').pressSequentially('create aff')
    const found = tab.getByRole('region', { name: 'Search results' })
    await found.getByRole('link', { name: 'Create affiliate' }).click()
    await tab.waitForURL(/\/docs\/reference#operation-createAffiliate$/)
    expect(problems.splice(0)).toEqual([])
  })

  test('of the portal', async () => {
    affiliateId = await acme.affiliate('jane', { name: 'Jane' })
    const { referral } = await acme.client.conversions.create({
      campaign_id: acme.partners,
      customer_ref: 'a-customer-with-a-rather-long-reference-1',
      token: 'jane',
      sale: { external_id: 'invoice-1', amount_minor: 4900, currency: 'USD' },
    })
    referralId = referral?.id ?? 0
    const { tab } = await newVisitor(PHONE)
    const at = (page: string) => `/portal/${acme.slug}${page}`
    await check(tab, ['/portal', at('/sign-in'), at('/join'), at('/sign-in/unknown')], settled)
    const link = new URL(await acme.magicLink(affiliateId)).pathname
    await tab.goto(acme.service.url + link)
    await tab.waitForURL(acme.service.url + at(''))
    const pages = [
      '',
      '/links',
      '/links/creatives',
      '/referrals',
      `/referrals/${referralId}`,
      '/commissions',
      '/payouts',
    ]
    await check(tab, [...pages, '/campaigns', '/settings', '/nowhere'].map(at), settled)
    expect(problems.splice(0)).toEqual([])
  })

  test('of the dashboard', async () => {
    const { context } = acme.owner
    const tab = await context.newPage()
    await tab.setViewportSize(PHONE.viewport)
    const at = (page: string) => `/dashboard/${acme.slug}${page}`
    const lists = [
      '/overview',
      '/explore?by=affiliate',
      '/explore/cohorts',
      '/affiliates',
      '/campaigns',
      '/creatives',
      '/referrals',
      '/signals',
      '/commissions',
      '/payouts',
    ]
    const others = [`/campaigns/${acme.partners}`, `/affiliates/${affiliateId}`, `/referrals/${referralId}`]
    await check(
      tab,
      [...lists, ...others, '/billing', '/webhooks', '/settings', '/audit-log', '/nowhere'].map(at),
      settled,
    )
    expect(problems.splice(0)).toEqual([])
  })
})
