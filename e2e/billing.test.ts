/**
 * Setting up, as a new user does it: billing is connected, the script verified by a visitor's click, and the purchase becomes the first
 * commission, by events that Stripe's own library signed. All of it is seen on the pages as it arrives.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { turnTo } from './support/pages.ts'
import { heading, type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'
import { must } from './support/program.ts'
import { until } from './support/until.ts'

const SECRET = 'whsec_of_the_endpoint'

/** Stripe's API with one customer, who has no email. */
const api = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://stripe')
  const answers: Record<string, object> = {
    'GET /v1/coupons/TWENTY': { id: 'TWENTY', object: 'coupon' },
    'POST /v1/promotion_codes': {
      id: 'promo_1',
      object: 'promotion_code',
      code: 'FRIEND20',
      active: true,
      promotion: { type: 'coupon', coupon: 'TWENTY' },
      metadata: { tributary_key: 'any' },
    },
    'GET /v1/customers': { object: 'list', url: '/v1/customers', data: [], has_more: false },
    'GET /v1/customers/cus_2': { id: 'cus_2', object: 'customer', currency: null, livemode: true },
    'POST /v1/customers/cus_2/balance_transactions': {
      id: 'cbtxn_1',
      object: 'customer_balance_transaction',
    },
  }
  const answer = answers[`${request.method} ${pathname}`]
  response
    .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    .end(JSON.stringify(answer ?? {}))
})
const startStripe = async () => {
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(api.address() as AddressInfo).port}`
}

describeInBrowser('connecting billing', () => {
  let acme: PortalProgramme
  beforeAll(async () => {
    acme = await startPortalProgramme()
    await acme.affiliate('jane')
  })
  afterAll(() => {
    api.close()
    acme?.close()
  })

  let events = 0
  const deliver = async (url: string, type: string, object: object) => {
    const created = Math.floor(Date.now() / 1000)
    events += 1
    const payload = JSON.stringify({
      id: `evt_${type}_${events}`,
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

  /** A visitor who comes by the affiliate's link to a page that has the script. Returns the click that the page has. */
  const visit = async (token: string) => {
    const { service, slug } = acme
    const script = `<script src="${service.url}/tracker.js" data-account="${slug}"></script>`
    const shop = createServer((_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><title>Shop</title>${script}`)
    })
    // The host of the campaign's destination, whose pages are allowed on every port.
    await new Promise<void>(resolve => shop.listen(0, '127.0.0.1', resolve))
    const { tab, context } = await newVisitor()
    await tab.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/?via=${token}`)
    await tab.evaluate('window.Tributary.ready()')
    const clickId = await tab.evaluate<number>('window.Tributary.clickId()')
    await context.close()
    shop.close().closeAllConnections()
    return clickId
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
    const session = { id: 'cs_1', object: 'checkout.session', mode: 'subscription', metadata: {} }
    expect(await deliver(url, 'checkout.session.completed', session)).toBe(400)

    await tab.getByLabel('Signing secret').fill(SECRET)
    await press(tab, 'Save')
    await tab.getByText('Connected', { exact: true }).waitFor()
    await until('the secret is in use', async () => {
      return (await deliver(url, 'checkout.session.completed', session)) === 200
    })
    const connector = tab.url()

    await turnTo(tab, `${acme.service.url}/dashboard/${acme.slug}/settings/tracking`)
    await press(tab, 'Verify installation')
    await tab.getByText('Waiting for a click…').waitFor()
    const click_id = `${await visit('jane')}`
    await tab.getByText('The script works').waitFor()

    await turnTo(tab, `${acme.service.url}/dashboard/${acme.slug}/overview`)
    await heading(tab, 'Overview').waitFor()
    const purchase = { ...session, id: 'cs_2', metadata: { click_id } }
    expect(await deliver(url, 'checkout.session.completed', purchase)).toBe(200)
    await tab.getByText(/^Received — credited to/).waitFor()

    const paid = {
      status: 'paid',
      currency: 'usd',
      total: 12_000,
      total_excluding_tax: 10_000,
      amount_paid: 12_000,
    }
    expect(await deliver(url, 'invoice.paid', { id: 'in_1', object: 'invoice', ...paid })).toBe(200)
    await tab.getByText('First commission: $15.00.').waitFor()

    await turnTo(tab, connector)
    expect(await deliver(url, 'product.created', { id: 'prod_1', object: 'product' })).toBe(200)
    await tab.getByText('Events of type product.created are not needed').waitFor()
    const sale = tab.getByRole('row').filter({ hasText: 'invoice.paid' })
    await sale.getByText('Applied', { exact: true }).waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('textbox', { name: 'Search' }).fill('in_1')
    await tab.getByText('Events of type product.created are not needed').waitFor({ state: 'detached' })
    await sale.getByRole('link', { name: /^Commission \d+$/ }).click()
    await tab.waitForURL(/\/commissions\/\d+$/)
    await tab.getByText('$15.00').first().waitFor()
  })

  test('of another system: a mapping is tried on a sample while it is written, then stored', async () => {
    const { tab } = acme.owner
    await turnTo(tab, `${acme.service.url}/dashboard/${acme.slug}/billing`)
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

  test('a code is created at Stripe, and a credit reward is granted as customer balance and shown on the commission', async () => {
    const { tab } = acme.owner
    const { env, url } = acme.service
    const account = ['--account', String(acme.accountId), '--json']
    const rewards = [
      '--program-type',
      'referral',
      '--credit',
      '--commission',
      '500 USD',
      '--referee-reward',
      '1000 USD',
    ]
    const campaign = JSON.parse(
      await must(
        ['campaign', 'create', '--name', 'Friends', '--hold-days', '0', ...rewards, ...account],
        env,
      ),
    )
    await acme.affiliate('friend', { campaign_id: campaign.id, coupon_code: 'FRIEND20' })
    const apiUrl = await startStripe()
    const secrets = ['--signing-secret', SECRET, '--api-key', 'rk_1', '--api-url', apiUrl]
    const added = JSON.parse(await must(['connector', 'add', 'stripe', ...secrets, ...account], env))
    const page = `${url}/dashboard/${acme.slug}/billing/${added.id}`
    await turnTo(tab, page)
    await tab.getByRole('switch', { name: 'Grant credit rewards at Stripe' }).click()
    await tab.getByText('Credit rewards turned on').waitFor()

    await tab.getByLabel('Stripe coupon ID').fill('TWENTY')
    await press(tab, 'Save coupon')
    const code = tab.getByRole('row').filter({ hasText: 'promo_1' })
    await code.getByText('Active', { exact: true }).waitFor({ timeout: 60_000 })
    const file = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Export codes' }).click()
    expect((await file).suggestedFilename()).toBe(`connector-${added.id}-codes.csv`)

    const webhook = `${url}${new URL(added.webhook_url).pathname}`
    const customer = { customer: 'cus_2' }
    const session = {
      id: 'cs_2',
      object: 'checkout.session',
      mode: 'subscription',
      client_reference_id: 'friend',
    }
    await until('the connector is known', async () => {
      return (await deliver(webhook, 'checkout.session.completed', { ...session, ...customer })) === 200
    })
    const paid = {
      status: 'paid',
      currency: 'usd',
      total: 12_000,
      total_excluding_tax: 10_000,
      amount_paid: 12_000,
    }
    await deliver(webhook, 'invoice.paid', { id: 'in_2', object: 'invoice', ...customer, ...paid })
    const granted = tab.getByRole('row').filter({ hasText: 'cbtxn_1' })
    await granted.getByText('Granted', { exact: true }).waitFor({ timeout: 60_000 })
    await tab.getByText(`No customer at Stripe has the email ${acme.address('friend')}.`).waitFor()
    expect(await obstacles(tab)).toEqual([])
    await granted.getByRole('link', { name: /^Commission \d+$/ }).click()
    await tab.getByText('Credit granted: $10.00').waitFor()
    await tab.getByText('Balance of customer cus_2 at the billing provider.').waitFor()
    expect(await obstacles(tab)).toEqual([])
    const shown = await must(['connector', 'credits', String(added.id), ...account], env)
    expect(JSON.parse(shown)).toContainEqual(
      expect.objectContaining({ status: 'granted', customer: 'cus_2' }),
    )
  })
})
