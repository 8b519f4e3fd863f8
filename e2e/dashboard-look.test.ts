/** The dashboard for every pair of eyes and on every screen: each page is turned to once, and looked at by day, by night and on a phone. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import { type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { soon } from './support/until.ts'

/** The darker half of the palette is the same on every page, so these stand for the rest. */
const DARK_PAGES = ['overview', 'affiliates/AFFILIATE', 'payouts/PAYOUT', 'webhooks']
const PAGES = [
  ...['overview', 'affiliates', 'affiliates/AFFILIATE', 'affiliates/import'],
  ...[
    'campaigns',
    'campaigns/CAMPAIGN',
    'campaigns/new',
    'referrals',
    'commissions',
    'commissions/COMMISSION',
  ],
  ...['payouts', 'payouts/PAYOUT', 'payouts/new', 'webhooks', 'webhooks/deliveries/DELIVERY'],
  ...[
    'settings',
    'settings/api-keys',
    'settings/team',
    'settings/portal',
    'settings/payout-rails',
    'settings/mail',
  ],
  'audit-log',
]
const DESK = { width: 1280, height: 720 }
const PHONE = { width: 390, height: 844 }

describeInBrowser('the dashboard', () => {
  let acme: PortalProgramme
  /** What stands for each capital word in the addresses of the pages. */
  let ids: Record<string, number>

  beforeAll(async () => {
    acme = await startPortalProgramme()
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
    // A colour that is still on its way to the next one has no contrast to speak of.
    await tab.emulateMedia({ reducedMotion: 'reduce' })
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/overview`)
    await loaded(tab)
  })
  afterAll(() => acme?.close())

  test.each(PAGES)('keeps nobody out of %s, and fits a phone', async page => {
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
    await tab.setViewportSize(PHONE)
    const root = 'document.documentElement'
    // The page lays itself out anew once it has noticed.
    await expect
      .poll(() => tab.evaluate(`${root}.scrollWidth - ${root}.clientWidth`), { timeout: 60_000 })
      .toBe(0)
    await tab.setViewportSize(DESK)
  })

  test('asks nobody but ourselves, and no script of it fails', () => {
    acme.expectNothingForeign()
  })
})
