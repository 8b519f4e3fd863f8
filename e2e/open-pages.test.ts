/** Pages that stay open while something else happens: a colleague's change, another page, the end of the session. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { loaded, turnTo } from './support/pages.ts'
import { heading, type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'
import { must } from './support/program.ts'

const PASSWORD = 'correct horse battery'

describeInBrowser('a page that stays open', () => {
  let acme: PortalProgramme
  let tab: Page
  const address = (page: string) => `${acme.service.url}/dashboard/${acme.slug}/${page}`
  beforeAll(async () => {
    acme = await startPortalProgramme()
    tab = acme.owner.tab
  })
  afterAll(() => acme?.close())
  const adjust = (affiliate_id: number, campaign_id: number, amount_minor: number) =>
    acme.manage('POST', 'commissions/adjust', {
      affiliate_id,
      campaign_id,
      amount_minor,
      description: 'Bonus',
    })

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

  test('forgets its dialogs and what was typed when it shows another affiliate', async () => {
    const [ada, bob] = [
      await acme.affiliate('ada', { name: 'Ada' }),
      await acme.affiliate('bob', { name: 'Bob' }),
    ]
    await turnTo(tab, address(`affiliates/${ada}`))
    await heading(tab, 'Ada').waitFor()
    // Without a page between them, as from the palette and with the back button.
    await tab.evaluate(`history.pushState(null, '', ${JSON.stringify(address(`affiliates/${bob}`))})`)
    await heading(tab, 'Bob').waitFor()
    await loaded(tab)
    await tab.getByLabel('New note').fill('Bob moves to Lyon')
    await press(tab, 'Copy sign-in link')
    const dialog = tab.getByRole('dialog', { name: /^Sign-in link for/ })
    await dialog.locator('[data-shown-once]').waitFor()
    await tab.goBack()
    await heading(tab, 'Ada').waitFor()
    expect(await dialog.count()).toBe(0)
    expect(await tab.getByLabel('New note').inputValue()).toBe('')
  })

  test('opens the page of a link after signing in, also in the second account', async () => {
    const second = `${acme.slug}-second`
    const owner = ['--email', acme.address('owner'), '--password', PASSWORD]
    await must(['account', 'create', '--name', 'Second', '--slug', second, ...owner], acme.service.env)
    for (const slug of [acme.slug, second]) {
      const { tab } = await acme.visitor()
      const link = `${acme.service.url}/dashboard/${slug}/affiliates?status=pending`
      await tab.goto(link)
      await signIn(tab)
      await heading(tab, 'Affiliates').or(heading(tab, 'Overview')).waitFor()
      expect(tab.url()).toBe(link)
    }
  })
})
