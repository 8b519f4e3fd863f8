/** Connecting billing, as a new user does it: from the dialog to the first commission of an event that Stripe's own library signed. */
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { heading, type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'
import { until } from './support/until.ts'

const SECRET = 'whsec_of_the_endpoint'

describeInBrowser('connecting billing', () => {
  let acme: PortalProgramme
  beforeAll(async () => {
    acme = await startPortalProgramme()
    await acme.affiliate('jane')
  })
  afterAll(() => acme?.close())

  const deliver = async (url: string, type: string, object: object) => {
    const created = Math.floor(Date.now() / 1000)
    const payload = JSON.stringify({
      id: `evt_${type}`,
      object: 'event',
      type,
      created,
      livemode: true,
      data: { object: { created, livemode: true, customer: 'cus_1', ...object } },
    })
    const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET })
    const headers = { 'content-type': 'application/json', 'stripe-signature': header }
    return (await fetch(url, { method: 'POST', headers, body: payload })).status
  }

  test('ends in a commission, and shows the outcome of each event', async () => {
    const { tab } = acme.owner
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/billing`)
    await tab.getByText('No billing system connected').waitFor()
    await tab.getByRole('button', { name: 'Connect billing' }).first().click()
    const dialog = tab.getByRole('dialog')
    await press(dialog, 'Connect billing')
    await heading(tab, /^Stripe$/).waitFor()
    expect(await obstacles(tab)).toEqual([])
    const path = new URL(await tab.locator('code', { hasText: '/connect/stripe/' }).innerText()).pathname
    const url = `${acme.service.url}${path}`
    const session = {
      id: 'cs_1',
      object: 'checkout.session',
      mode: 'subscription',
      client_reference_id: 'jane',
    }
    expect(await deliver(url, 'checkout.session.completed', session)).toBe(400)

    await tab.getByLabel('Signing secret').fill(SECRET)
    await press(tab, 'Save')
    await tab.getByText('Connected', { exact: true }).waitFor()
    await until('the secret is in use', async () => {
      return (await deliver(url, 'checkout.session.completed', session)) === 200
    })
    const paid = {
      status: 'paid',
      currency: 'usd',
      total: 12_000,
      total_excluding_tax: 10_000,
      amount_paid: 12_000,
    }
    expect(await deliver(url, 'invoice.paid', { id: 'in_1', object: 'invoice', ...paid })).toBe(200)
    expect(await deliver(url, 'product.created', { id: 'prod_1', object: 'product' })).toBe(200)
    await tab.getByText('Events of type product.created are not needed').waitFor()
    const sale = tab.getByRole('row').filter({ hasText: 'invoice.paid' })
    await sale.getByText('Applied', { exact: true }).waitFor()
    expect(await obstacles(tab)).toEqual([])
    await sale.getByRole('link', { name: /^Commission \d+$/ }).click()
    await tab.waitForURL(/\/commissions\/\d+$/)
    await tab.getByText('$15.00').first().waitFor()
  })

  test('of another system: a mapping is tried on a sample while it is written, then stored', async () => {
    const { tab } = acme.owner
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/billing`)
    await tab.getByRole('button', { name: 'Connect billing' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Billing system' }).click()
    await tab.getByRole('option', { name: 'Other system' }).click()
    await press(dialog, 'Connect billing')
    await heading(tab, /^Other system$/).waitFor()
    const order = { id: 5, net: '12.50', currency: 'usd' }
    await tab
      .getByLabel('Sample event')
      .fill(JSON.stringify({ type: 'sale', customer: 'c1', token: 'jane', order }))
    const result = tab.getByRole('status', { name: 'Result' })
    await result.getByText('Ignored: The event has no usable sale_id').waitFor()
    await tab.getByText('the sample has no sale_id').waitFor()
    await tab.getByLabel('Sale ID').fill('order.id')
    await tab.getByLabel('Amount: base of commissions').fill('order.net')
    await tab.getByLabel('Currency').fill('order.currency')
    await result.getByText('Sale custom:5 of $12.50 by customer c1').waitFor()
    await result.getByText('Referral of customer c1 by token jane').waitFor()
    await press(tab, 'Save mapping')
    await tab.getByText('Mapping saved').waitFor()
    expect(await obstacles(tab)).toEqual([])
  })
})
