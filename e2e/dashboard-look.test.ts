/** Protects accessibility and layout of the dashboard: every page is checked in light mode and on a phone, some in dark mode too. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import { type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { soon } from './support/until.ts'

/** The dark palette is the same on every page, so these are a sufficient sample. */
const DARK_PAGES = ['overview', 'affiliates/AFFILIATE', 'payouts/PAYOUT', 'webhooks']
const PAGES = [
  ...['overview', 'explore', 'explore/cohorts', 'affiliates', 'affiliates/AFFILIATE', 'affiliates/import'],
  ...[
    'campaigns',
    'campaigns/CAMPAIGN',
    'campaigns/new',
    'referrals',
    'signals',
    'commissions',
    'commissions/COMMISSION',
  ],
  ...['payouts', 'payouts/PAYOUT', 'payouts/new', 'webhooks', 'webhooks/deliveries/DELIVERY'],
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

/** The names of the tables whose last columns are out of sight. */
const CUT_TABLES = `[...document.querySelectorAll('.mantine-Paper-root table')]
  .filter(table => table.scrollWidth > table.closest('.mantine-Paper-root').clientWidth)
  .map(table => table.getAttribute('aria-label'))`

describeInBrowser('the dashboard', () => {
  let acme: PortalProgramme
  /** The ids that replace the capitalized placeholders in the paths. */
  let ids: Record<string, number>

  beforeAll(async () => {
    acme = await startPortalProgramme({ timezoneId: zoneOfWideTimes() })
    const { client, manage, partners } = acme
    await client.webhookEndpoints.create({ url: acme.shop.url, events: ['promoter.approved'] })
    const affiliate = await acme.affiliate('jane', { name: 'Jane' })
    const { commissions } = await client.conversions.create({
      campaign_id: partners,
      customer_ref: 'customer-1',
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
    }
    const { tab } = acme.owner
    await tab.setViewportSize(DESK)
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/overview`)
    await loaded(tab)
  })
  afterAll(() => acme?.close())

  test.each(PAGES)('%s is accessible, cuts no table on a small laptop and fits a phone', async page => {
    const { tab } = acme.owner
    const path = page.replaceAll(/[A-Z]+/g, word => String(ids[word]))
    await turnTo(tab, `${acme.service.url}/dashboard/${acme.slug}/${path}`)
    expect(await obstacles(tab)).toEqual([])
    if (DARK_PAGES.includes(page)) {
      await tab.emulateMedia({ colorScheme: 'dark' })
      await tab.locator('html[data-mantine-color-scheme=dark]').waitFor()
      expect(await obstacles(tab)).toEqual([])
      await tab.emulateMedia({ colorScheme: 'light' })
    }
    await tab.setViewportSize(NARROW)
    await expect.poll(() => tab.evaluate(CUT_TABLES), { timeout: 60_000 }).toEqual([])
    await tab.setViewportSize(PHONE)
    const root = 'document.documentElement'
    // The layout follows the resize asynchronously.
    await expect
      .poll(() => tab.evaluate(`${root}.scrollWidth - ${root}.clientWidth`), { timeout: 60_000 })
      .toBe(0)
    await tab.setViewportSize(DESK)
  })

  test('requests nothing from other hosts, and no script fails', () => {
    acme.expectNothingForeign()
  })
})
