/** Pages that stay open while something else happens: a colleague's change, another page, the end of the session. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { loaded, turnTo } from './support/pages.ts'
import { heading, type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'
import { must } from './support/program.ts'
import { takeMail } from './support/shared.ts'

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

  test('shows who is excluded from a payout as of its refresh, also with a cut-off', async () => {
    const campaignId = await acme.openCampaign('Below the minimum')
    await acme.manage('PATCH', `campaigns/${campaignId}`, { minimum_payout_minor: 1000 })
    const affiliate_id = await acme.affiliate('dora', { name: 'Dora', campaign_id: campaignId })
    await adjust(affiliate_id, campaignId, 500)
    await turnTo(tab, address(`payouts/new?campaign_id=${campaignId}&cut_off=2099-01-01T00:00&tab=excluded`))
    const row = tab.getByRole('row', { name: /Dora/ })
    await row.getByText('$5.00').waitFor()
    await adjust(affiliate_id, campaignId, 100)
    await press(tab, 'Refresh preview')
    await row.getByText('$6.00').waitFor()
  })

  test('leads to the payout whose creation it never heard of', async () => {
    const campaignId = await acme.openCampaign('Answer lost')
    const affiliate_id = await acme.affiliate('fred', { name: 'Fred', campaign_id: campaignId })
    await adjust(affiliate_id, campaignId, 500)
    await turnTo(tab, address(`payouts/new?campaign_id=${campaignId}`))
    const create = async () => {
      await press(tab, 'Create payout')
      await press(tab.getByRole('dialog'), 'Create payout ($5.00)')
    }
    const payouts = '**/accounts/*/payouts'
    await tab.route(payouts, async route => {
      await route.fetch()
      await route.abort()
    })
    await create()
    await tab.getByText("Can't reach the server").waitFor()
    await tab.unroute(payouts)
    await create()
    const notice = tab.getByRole('alert').filter({ hasText: 'The preview is out of date' })
    await notice.getByText('An earlier attempt or a colleague may have created a payout of it.').waitFor()
    await notice.getByRole('link', { name: 'View payouts' }).click()
    await tab.getByRole('row', { name: /Answer lost/ }).waitFor()
  })

  const signIn = async (page: Page) => {
    await page.getByLabel('Email').fill(acme.address('owner'))
    await page.getByLabel('Password').fill(PASSWORD)
    await press(page, 'Sign in')
  }

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

  test('asks to sign in when its session has ended, and leads back', async () => {
    const { tab, context } = await acme.visitor()
    /** As by a timeout, or by signing out in another tab. */
    const endSession = async () => {
      const session = `${acme.service.url}/dashboard/api/session`
      const { csrf_token } = await (await context.request.get(session)).json()
      const headers = { origin: acme.service.url, 'tributary-csrf': csrf_token }
      expect((await context.request.delete(session, { headers, data: {} })).ok()).toBe(true)
    }
    await tab.goto(`${acme.service.url}/dashboard/signin`)
    await signIn(tab)
    await heading(tab, 'Overview').waitFor()
    await turnTo(tab, address('affiliates'))

    await endSession()
    await tab.getByRole('link', { name: 'Campaigns', exact: true }).click()
    await signIn(tab)
    await tab.getByText('Resellers').first().waitFor()
    expect(tab.url()).toBe(address('campaigns'))

    // A change is refused too.
    await turnTo(tab, address(`campaigns/${acme.resellers}`))
    await tab.getByLabel('Destination URL').fill(`${acme.shop.url}/changed`)
    await endSession()
    await press(tab, 'Save')
    // In the notification, and possibly on the page.
    await tab.getByText('Sign in first.').first().waitFor()
    await signIn(tab)
    await heading(tab, 'Resellers').waitFor()
    expect(tab.url()).toBe(address(`campaigns/${acme.resellers}`))

    await endSession()
    await press(tab, 'Your account')
    await tab.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await tab.waitForURL('**/dashboard/signin')
    await tab.getByLabel('Email').waitFor()
  })

  test('shows nothing of an account that its user has left', async () => {
    const email = acme.address('leaver')
    await acme.manage('POST', 'team/invitations', { email, role: 'owner' })
    const { text } = await takeMail(email, /^Join .+ on Tributary$/)
    const { tab } = await acme.visitor()
    await tab.goto(/http:\S+/.exec(text)?.[0] ?? '')
    await tab.getByLabel('Password').fill(PASSWORD)
    await tab.getByRole('button', { name: 'Accept' }).click()
    await tab.waitForURL(address('overview'))
    await loaded(tab)
    await turnTo(tab, address('settings/team'))
    await press(tab, `Actions for ${email}`)
    await tab.getByRole('menuitem', { name: 'Leave team' }).click()
    await press(tab.getByRole('dialog'), 'Leave team')
    await tab.getByText("You don't belong to an account").waitFor()
    acme.expectNothingForeign()
  })
})
