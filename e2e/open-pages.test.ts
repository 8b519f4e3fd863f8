/** Pages that stay open while something else happens: a colleague's change, another page, the end of the session. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { turnTo } from './support/pages.ts'
import { type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'

describeInBrowser('a page that stays open', () => {
  let acme: PortalProgramme
  let tab: Page
  const address = (page: string) => `${acme.service.url}/dashboard/${acme.slug}/${page}`
  beforeAll(async () => {
    acme = await startPortalProgramme()
    tab = acme.owner.tab
  })
  afterAll(() => acme?.close())

  test('saves only what was changed in it, and keeps what a colleague changed since', async () => {
    await tab.goto(address(`campaigns/${acme.partners}`))
    const destination = tab.getByLabel('Destination URL')
    await destination.waitFor()
    await acme.manage('PATCH', `campaigns/${acme.partners}`, {
      rewards: { commission: '25%', recurring_months: 6 },
    })
    await destination.fill(`${acme.shop.url}/new`)
    await press(tab, 'Save')
    await tab.getByText('Campaign updated').waitFor()
    const campaign = await acme.manage('GET', `campaigns/${acme.partners}`)
    expect(campaign.rule_versions).toHaveLength(2)
    expect(campaign.rules).toMatchObject([{ rate_basis_points: 2500, recurring_months: 6 }])
    expect(campaign.destination_url).toBe(`${acme.shop.url}/new`)

    await turnTo(tab, address('settings/portal'))
    const name = tab.getByLabel('Name', { exact: true })
    await name.waitFor()
    await acme.manage('PATCH', 'portal', { colour: '#123456', customers_shown: 'hidden' })
    await name.fill('Acme Partners')
    await press(tab, 'Save')
    await tab.getByText('Portal settings saved').waitFor()
    expect(await acme.manage('GET', 'portal')).toMatchObject({
      name: 'Acme Partners',
      colour: '#123456',
      customers_shown: 'hidden',
    })
  })
})
