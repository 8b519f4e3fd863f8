/**
 * Protects accessibility and layout of the dashboard: every page is checked in light mode and on a phone, some in dark mode too. Nothing fails
 * to load, and the console stays silent.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { COLOUR_RULES, obstacles } from './support/obstacles.ts'
import { isServed, sidewaysScroll, unreachableBoxes, watchProblems } from './support/page-problems.ts'
import { loaded, turnTo } from './support/pages.ts'
import { type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { soon } from './support/until.ts'

/** The dark palette is the same on every page, so these are a sufficient sample. */
const DARK_PAGES = ['overview', 'affiliates/AFFILIATE', 'payouts/PAYOUT', 'webhooks']
const PAGES = [
  ...['overview', 'explore', 'explore?by=affiliate', 'explore/cohorts', 'explore/sales', 'explore/clicks'],
  ...['affiliates', 'affiliates/AFFILIATE', 'affiliates/import'],
  ...[
    'campaigns',
    'campaigns/CAMPAIGN',
    'campaigns/new',
    'creatives',
    'referrals',
    'referrals/REFERRAL',
    'signals',
    'commissions',
    'commissions/COMMISSION',
  ],
  ...['payouts', 'payouts/PAYOUT', 'payouts/new', 'billing', 'webhooks', 'webhooks/deliveries/DELIVERY'],
  ...[
    'settings',
    'settings/api-keys',
    'settings/team',
    'settings/tracking',
    'settings/portal',
    'settings/payout-rails',
    'settings/mail',
    'settings/profile',
  ],
  'audit-log',
]
const DESK = { width: 1280, height: 720 }
/** A small laptop. */
const NARROW = { width: 1100, height: 720 }
const PHONE = { width: 390, height: 844 }

/** A zone where it is after 10 p.m.: times such as 10:28 PM need the most space, which the tables must have at any hour. */
function zoneOfWideTimes(): string {
  const ahead = ((22 - new Date().getUTCHours() + 11) % 24) - 11
  // These zones count from the west.
  return `Etc/GMT${ahead < 0 ? '+' : '-'}${Math.abs(ahead)}`
}

/** The layout follows a resize in the next frame. */
const TWO_FRAMES = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** The names of the tables whose last columns are out of sight. */
const CUT_TABLES = `[...document.querySelectorAll('.mantine-Paper-root table')]
  .filter(table => table.scrollWidth > table.closest('.mantine-Paper-root').clientWidth)
  .map(table => table.getAttribute('aria-label'))`

describeInBrowser('the dashboard', () => {
  let acme: PortalProgramme
  /** The ids that replace the capitalized placeholders in the paths. */
  let ids: Record<string, number>
  let problems: string[]
  const address = (path: string) => `${acme.service.url}/dashboard/${acme.slug}/${path}`

  beforeAll(async () => {
    acme = await startPortalProgramme({ timezoneId: zoneOfWideTimes() })
    const { client, manage, partners } = acme
    await client.webhookEndpoints.create({ url: acme.shop.url, events: ['promoter.approved'] })
    const affiliate = await acme.affiliate('jane', { name: 'Jane' })
    const { commissions, referral } = await client.conversions.create({
      campaign_id: partners,
      customer_ref: 'a-customer-with-a-rather-long-reference-1',
      token: 'jane',
      sale: { external_id: 'sale-1', amount_minor: 50_000, currency: 'USD' },
    })
    const commission = commissions[0]?.id ?? 0
    await client.commissions.update(commission, { status: 'approved' })
    const { digest } = await manage('GET', `payouts/preview?campaign_id=${partners}&rail=manual`)
    const payout = await manage('POST', 'payouts', { campaign_id: partners, rail: 'manual', digest })
    const delivery = await soon(async () => (await manage('GET', 'deliveries')).data[0]?.id as number)
    ids = {
      AFFILIATE: affiliate,
      CAMPAIGN: partners,
      COMMISSION: commission,
      PAYOUT: payout.id,
      DELIVERY: delivery,
      REFERRAL: referral?.id ?? 0,
    }
    const { tab } = acme.owner
    problems = watchProblems(tab)
    await tab.setViewportSize(PHONE)
    await tab.goto(address('overview'))
    await loaded(tab)
  })
  afterAll(() => acme?.close())

  test.each(PAGES)('%s is accessible, cuts no table on a small laptop and fits a phone', async page => {
    const { tab } = acme.owner
    const path = page.replaceAll(/[A-Z]+/g, word => String(ids[word]))
    expect(await isServed(address(path))).toBe(true)
    await turnTo(tab, address(path))
    await expect.poll(() => sidewaysScroll(tab), { timeout: 60_000 }).toBe(0)
    expect(await unreachableBoxes(tab)).toEqual([])
    await tab.setViewportSize(NARROW)
    await expect.poll(() => tab.evaluate(CUT_TABLES), { timeout: 60_000 }).toEqual([])
    await tab.setViewportSize(DESK)
    await tab.evaluate(TWO_FRAMES)
    expect(await obstacles(tab)).toEqual([])
    if (DARK_PAGES.includes(page)) {
      await tab.emulateMedia({ colorScheme: 'dark' })
      await tab.locator('html[data-mantine-color-scheme=dark]').waitFor()
      expect(await obstacles(tab, COLOUR_RULES)).toEqual([])
      await tab.emulateMedia({ colorScheme: 'light' })
    }
    await tab.setViewportSize(PHONE)
    expect(problems.splice(0)).toEqual([])
  })

  test('nothing moves while a page loads, as the visitor prefers', async () => {
    const { tab } = acme.owner
    const unanswered = /\/affiliates\?/
    await tab.route(unanswered, () => undefined)
    await tab.goto(address('affiliates'))
    await tab.locator('[aria-label="Loading"]').first().waitFor()
    expect(await tab.evaluate('document.getAnimations().length')).toBe(0)
    await tab.unroute(unanswered)
  })

  test('an unknown page fits a phone too', async () => {
    const { tab } = acme.owner
    await tab.goto(address('nowhere'))
    await tab.getByText('Page not found', { exact: true }).waitFor()
    expect([await sidewaysScroll(tab), await unreachableBoxes(tab)]).toEqual([0, []])
  })

  test('requests nothing from other hosts, and no script fails', () => {
    acme.expectNothingForeign()
    expect(problems).toEqual([])
  })
})
