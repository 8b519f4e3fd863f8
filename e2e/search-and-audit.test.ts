/** Finding things: the palette by keyboard, filters while typing, counts that open their rows, and an audit log that names them. */
import type { Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { turnTo } from './support/pages.ts'
import { PERSON, type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { soon } from './support/until.ts'

const EMAIL = 'Ada.Lovelace@customers.example'

describeInBrowser('finding things in the dashboard', () => {
  let acme: PortalProgramme
  let janeId: number
  beforeAll(async () => {
    acme = await startPortalProgramme()
    janeId = await acme.affiliate('jane', { name: 'Jane Porter' })
    await acme.client.affiliates.create({
      email: acme.address('kim'),
      name: 'Kim',
      campaign_id: acme.partners,
    })
  })
  afterAll(() => acme?.close())

  /** A visitor comes by Jane's link, leaves their email on the site, and becomes a customer. */
  async function leaveEmail(customer_ref: string): Promise<void> {
    const beacon = async (path: string, body: object): Promise<{ click_id?: number }> => {
      const response = await fetch(`${acme.service.url}/t/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: acme.shop.url,
          'user-agent': PERSON.userAgent,
        },
        body: JSON.stringify({ account: acme.slug, visitor_id: 'visitor-4711', ...body }),
      })
      expect(response.status).toBe(201)
      return response.json() as Promise<{ click_id?: number }>
    }
    const { click_id = 0 } = await beacon('clicks', { token: 'jane', campaign: 'partners' })
    await beacon('leads', { click_id, email: EMAIL })
    await acme.client.conversions.create({ campaign_id: acme.partners, customer_ref, click_id })
  }

  async function payOut(): Promise<number> {
    const campaign = { campaign_id: acme.partners, rail: 'manual' }
    const bonus = {
      affiliate_id: janeId,
      campaign_id: acme.partners,
      amount_minor: 500,
      description: 'Bonus',
    }
    await acme.manage('POST', 'commissions/adjust', bonus)
    const { digest } = await acme.manage('GET', `payouts/preview?campaign_id=${acme.partners}&rail=manual`)
    return (await acme.manage('POST', 'payouts', { ...campaign, digest })).id
  }

  test('an unattributed sale leads to the conversion that explains it', async () => {
    const { tab } = acme.owner
    await acme.client.conversions.create({
      campaign_id: acme.partners,
      customer_ref: 'c-unknown',
      coupon_code: 'UNKNOWN10',
      sale: { external_id: 'order-1815', amount_minor: 4900, currency: 'USD' },
    })
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/overview`)
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await tab.keyboard.press('Control+k')
    await tab.getByRole('combobox', { name: 'Search' }).fill('order-18')
    await tab.getByRole('option', { name: /order-1815/ }).click()
    const sales = tab.getByRole('table', { name: 'Sales' })
    await sales.getByRole('row', { name: /order-1815/ }).waitFor()
    expect(new URL(tab.url()).search).toBe('?q=order-1815')
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('textbox', { name: 'Search' }).fill('order-99')
    await tab.getByText('No matching sales').waitFor()
    // The list begins with what reports count, which this sale is not.
    await tab
      .getByRole('navigation', { name: 'Explore' })
      .getByRole('link', { name: 'Sales', exact: true })
      .click()
    await tab.getByRole('button', { name: 'Clear Counted in Explore' }).waitFor()
    await tab.getByRole('textbox', { name: 'Search' }).fill('c-unknown')
    await tab.getByText('No matching sales').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('button', { name: 'Search all sales' }).click()
    await sales.getByRole('link', { name: 'Unattributed' }).click()
    await tab.getByText('1 result').waitFor()
    await tab.getByText('UNKNOWN10').waitFor()
    acme.expectNothingForeign()
  })

  test('by keyboard, while typing, from a count, and in the audit log', async () => {
    const { tab } = acme.owner
    const page = (path: string) => `${acme.service.url}/dashboard/${acme.slug}/${path}`
    // The overview has counts from the first conversion on.
    await acme.client.conversions.create({
      campaign_id: acme.partners,
      customer_ref: 'c-1',
      token: 'jane',
      sale: { external_id: 'order-77', amount_minor: 4900, currency: 'USD' },
    })
    await leaveEmail('customer-4711-of-shop')
    const payoutId = await payOut()
    await tab.goto(page('overview'))

    // A count opens exactly its rows.
    await tab.getByRole('link', { name: '1 to approve' }).click()
    await tab.getByText('1 result').waitFor()
    expect(new URL(tab.url()).search).toBe('?status=pending')
    await tab.getByRole('link', { name: 'Kim' }).waitFor()

    // The palette finds an affiliate by part of the name.
    await tab.keyboard.press('Control+k')
    const input = tab.getByRole('combobox', { name: 'Search' })
    await input.waitFor()
    // Without a match it shows that there are no results, and offers to search elsewhere.
    await input.fill('no such text')
    await tab.getByText('No results', { exact: true }).waitFor()
    await tab.getByRole('option', { name: 'Search all affiliates for “no such text”' }).waitFor()
    await input.fill('porter')
    await tab
      .getByRole('option', { name: /Jane Porter/ })
      .first()
      .waitFor()
    expect(await obstacles(tab)).toEqual([])
    const active = await input.getAttribute('aria-activedescendant')
    expect(await tab.locator(`[id="${active}"]`).innerText()).toContain('Jane Porter')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(page(`affiliates/${janeId}`))

    // A filter applies while typing, without a step of the back button for each letter.
    await turnTo(tab, page('affiliates'))
    await tab.getByText('2 results').waitFor()
    await tab.getByRole('textbox', { name: 'Search' }).pressSequentially('porter', { delay: 30 })
    await tab.getByText('1 result').waitFor()
    await soon(async () => new URL(tab.url()).search === '?q=porter' || undefined)
    await tab.goBack()
    expect(tab.url()).toBe(page(`affiliates/${janeId}`))

    // Enter opens a result of what was typed, though an earlier one is shown until the search ends.
    await tab.keyboard.press('Control+k')
    await input.fill('porter')
    await tab
      .getByRole('option', { name: /Jane Porter/ })
      .first()
      .waitFor()
    let isHeld: (route: Route) => void = () => undefined
    const held = new Promise<Route>(resolve => {
      isHeld = resolve
    })
    await tab.route('**/search?q=4711', route => isHeld(route))
    await input.fill('4711')
    await tab.keyboard.press('Enter')
    const search = await held
    expect(await input.isVisible()).toBe(true)
    await search.continue()
    await tab.waitForURL(/\/referrals\/\d+$/)
    await tab.getByRole('heading', { level: 1, name: /4711/ }).waitFor()
    await tab.unroute('**/search?q=4711')

    // A customer is found by part of the reference, or of the email that the tracker reported.
    await turnTo(tab, page('referrals?status=all'))
    await tab.getByText('2 results').waitFor()
    const customer = tab.getByRole('textbox', { name: 'Customer' })
    for (const text of ['4711', 'lovelace@cust']) {
      await customer.fill('')
      await tab.getByText('2 results').waitFor()
      await customer.pressSequentially(text)
      await tab.getByText('1 result', { exact: true }).waitFor()
      await tab.getByRole('link', { name: 'customer-4711-of-shop' }).waitFor()
    }

    // So are commissions, payouts and campaigns, each by what people look for.
    for (const [list, typed, none] of [
      ['commissions', ['porter', 'order-7', 'c-1'], 'No matching commissions'],
      ['payouts', [`payout ${payoutId}`, 'porter'], 'No matching payouts'],
      ['campaigns', ['partner'], 'No matching campaigns'],
    ] as const) {
      await turnTo(tab, page(list))
      await tab.getByText(/\d+ results?/).waitFor()
      const field = tab.getByRole('textbox', { name: 'Search' })
      for (const text of typed) {
        await field.fill('')
        await field.pressSequentially('no such text')
        await tab.getByText(none).waitFor()
        await field.fill('')
        await field.pressSequentially(text)
        await tab.getByText(/\d+ results?/).waitFor()
        await soon(async () => new URL(tab.url()).searchParams.get('q') === text || undefined)
      }
    }

    // The palette finds customers, sales, payouts, pages, actions and guides too.
    for (const [text, option, address] of [
      ['4711', /customer-4711-of-shop/, /\/referrals\/\d+$/],
      ['LOVELACE', /customer-4711-of-shop.*Ada\.Lovelace@customers\.example/s, /\/referrals\/\d+$/],
      [`payout ${payoutId}`, /^Payout \d+/, new RegExp(`/payouts/${payoutId}$`)],
      ['hooks', /^Webhooks/, /\/webhooks$/],
      ['new camp', /^New campaign$/, /\/campaigns\/new$/],
      ['order-7', /^order-77/, /\/referrals\/\d+$/],
      ['quick st', /^Quick start/, /\/docs\/quick-start$/],
    ] as const) {
      await tab.keyboard.press('Control+k')
      await input.fill(text)
      await tab.getByRole('option', { name: option }).first().waitFor()
      await tab.keyboard.press('Enter')
      await tab.waitForURL(address)
      await input.waitFor({ state: 'detached' })
    }

    // The audit log names the affiliate and what was replaced.
    await acme.manage('PATCH', `affiliates/${janeId}`, { name: 'Jane Smith' })
    await tab.goto(page('audit-log'))
    const row = tab.getByRole('row', { name: /affiliate\.update/ }).first()
    await row.getByText('Jane Porter').waitFor()
    expect(await row.innerText()).toContain('Jane Porter → Jane Smith')
    expect(await obstacles(tab)).toEqual([])
    await row.getByRole('link', { name: 'Jane Smith' }).click()
    await tab.waitForURL(page(`affiliates/${janeId}`))

    // Turned off, the addresses are erased: only the complete one is recognized.
    await turnTo(tab, page('settings/tracking'))
    await tab.getByRole('switch', { name: 'Keep customers’ email addresses' }).click()
    const erase = tab.getByRole('dialog').getByRole('button', { name: 'Erase addresses' })
    await erase.waitFor()
    expect(await obstacles(tab)).toEqual([])
    await erase.click()
    await tab.getByText('Addresses erased').waitFor()
    for (const [text, results] of [
      ['lovelace@cust', 'No matching referrals'],
      [EMAIL, '1 result'],
    ] as const) {
      await turnTo(tab, page(`referrals?status=all&customer_ref=${encodeURIComponent(text)}`))
      await tab.getByText(results, { exact: true }).waitFor()
    }
    await turnTo(tab, page('audit-log'))
    await tab.getByText('Keep customers’ email addresses').first().waitFor()

    // Actions are found too.
    await tab.keyboard.press('Control+k')
    await input.fill('sign out')
    await tab.getByRole('option', { name: 'Sign out', exact: true }).waitFor()
    await tab.keyboard.press('Enter')
    await tab.waitForURL(/signin/)
    acme.expectNothingForeign()
  })
})
