/** The dashboard as users see it: a real browser and a running service, no mocks. */
import { type Tributary, verifyWebhook } from '@tributary/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api, statusOf } from './support/api.ts'
import { describeInBrowser, newVisitor, textOf, type Visitor } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import { must } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { startReceiver } from './support/recording-receiver.ts'
import { sharedProgramme, takeMail } from './support/shared.ts'
import type { SharedService } from './support/shared-parts.ts'
import { soon } from './support/until.ts'

describeInBrowser('the dashboard', () => {
  let service: SharedService
  let programme: Programme
  let owner: Visitor
  let tab: Page
  let client: Tributary
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let secret = ''
  let campaignId = 0
  let [jane, joe] = [0, 0]

  const address = (page: string) => `${service.url}/dashboard/${programme.slug}/${page}`
  const go = (page: string) => turnTo(tab, address(page))
  /** The exported file of the page's list, with its name. */
  const exported = async () => {
    const saving = tab.waitForEvent('download')
    await tab
      .getByRole('link', { name: /^Export/ })
      .first()
      .click()
    const saved = await saving
    return `${saved.suggestedFilename()}: ${await textOf(saved)}`
  }
  const signIn = async (page: Page, { email, password }: Programme['owner']) => {
    await page.goto(`${service.url}/dashboard/signin`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(address('overview'))
    await loaded(page)
  }

  beforeAll(async () => {
    ;({ programme, ...service } = await sharedProgramme())
    owner = await newVisitor()
    tab = owner.tab
    receiver = await startReceiver()
    await signIn(tab, programme.owner)
  })
  afterAll(() => receiver.close())

  test('creates a working API key', async () => {
    await go('settings/api-keys')
    await tab.getByRole('button', { name: 'Create API key' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill('backend')
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    const key = await soon(
      async () => /trib_[0-9A-Za-z]{38}/.exec((await tab.locator('body').innerText()) ?? '')?.[0],
    )
    client = api(service.url, key)
    expect((await client.campaigns.list().page()).data).toMatchObject([{ id: programme.campaignId }])
  })

  test('creates a campaign', async () => {
    await go('campaigns/new')
    await tab.getByLabel('Name', { exact: true }).fill('Paid at once')
    await tab.getByLabel('Hold period (days)').fill('0')
    await tab.getByRole('button', { name: /Create campaign/ }).click()
    campaignId = await soon(
      async () => (await client.campaigns.list().page()).data.find(({ name }) => name === 'Paid at once')?.id,
    )
  })

  test('adds an endpoint that receives a test event with a valid signature', async () => {
    await go('webhooks')
    await tab.getByRole('button', { name: 'Add endpoint' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('URL').fill(receiver.url)
    for (const box of await dialog.getByRole('checkbox').all()) await box.check()
    await dialog.getByRole('button', { name: 'Add endpoint' }).click()
    secret = await soon(
      async () => /whsec_[A-Za-z0-9+/=]{44}/.exec(await tab.locator('body').innerText())?.[0],
    )
    await go('webhooks')
    await tab.getByRole('button', { name: 'Send test event' }).first().click()
    const delivery = await soon(() => receiver.received[0])
    const event = await verifyWebhook(delivery.body, delivery.headers as never, secret)
    expect(event.type).toMatch(/\./)
    await go('webhooks')
    const listed = tab.getByText(`Event ${event.id}`)
    await listed.waitFor()
    await tab.getByRole('textbox', { name: 'Search' }).fill('not an ID')
    await tab.getByText('No matching deliveries').waitFor()
    await tab.getByRole('textbox', { name: 'Search' }).fill(`${event.id}`)
    await listed.waitFor()
  })

  test('approves an affiliate and delivers the event', async () => {
    const create = async (name: string) =>
      (
        await client.affiliates.create({
          email: `${name}@example.com`,
          campaign_id: campaignId,
          token: name,
          name,
        })
      ).id
    ;[jane, joe] = [await create('jane'), await create('joe')]
    await go('affiliates')
    await tab
      .getByRole('row', { name: /jane@example.com/ })
      .getByRole('button', { name: 'Approve' })
      .click()
    const delivery = await soon(() =>
      receiver.received.find(
        ({ body }) => body.includes('promoter.approved') && body.includes('jane@example.com'),
      ),
    )
    expect((await verifyWebhook(delivery.body, delivery.headers as never, secret)).type).toBe(
      'promoter.approved',
    )
    await soon(async () => (await client.affiliates.get(jane)).status === 'approved')
  })

  test('does not undo the rejection of a colleague from a stale page', async () => {
    const { id } = await client.affiliates.create({ email: 'fraud@example.com', campaign_id: campaignId })
    await go('affiliates')
    await tab.reload()
    const approve = tab
      .getByRole('row', { name: /fraud@example.com/ })
      .getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    await client.affiliates.update(id, { status: 'rejected' })
    await approve.click()
    await tab.getByText(/changed from pending to rejected/).waitFor()
    expect((await client.affiliates.get(id)).status).toBe('rejected')
  })

  test('reads filters from the address, ignores malformed ones, and keeps parameters of others', async () => {
    const inAddress = () => Object.fromEntries(new URL(tab.url()).searchParams)
    const filter = (name: string) => tab.getByRole('combobox', { name, exact: true })
    await go(`affiliates?status=approved&campaign_id=${campaignId}&kind=bogus&utm_source=mail`)
    await tab.getByText('jane@example.com').waitFor()
    expect(await tab.getByText('joe@example.com').count()).toBe(0)
    expect(await filter('Status').inputValue()).toBe('Approved')
    expect(await filter('Campaign').inputValue()).toBe('Paid at once')
    expect(await filter('Type').inputValue()).toBe('')
    await filter('Status').click()
    await tab.getByRole('option', { name: 'Pending' }).click()
    await tab.getByText('joe@example.com').waitFor()
    expect(inAddress()).toEqual({
      status: 'pending',
      campaign_id: String(campaignId),
      utm_source: 'mail',
    })
    await tab.getByRole('button', { name: 'Clear filters' }).click()
    await tab.getByText('jane@example.com').waitFor()
    expect(inAddress()).toEqual({ utm_source: 'mail' })
    await go(`affiliates/${jane}`)
    await tab.getByRole('link', { name: 'Commissions' }).last().click()
    await tab.waitForURL(address(`commissions?affiliate_id=${jane}`))
    await go('affiliates?campaign_id=1e3&order=sideways')
    await tab.getByText('jane@example.com').waitFor()
    await tab.getByText('joe@example.com').waitFor()
  })

  test('shows a conversion with its explanation, and reviews a referral', async () => {
    const { referral } = await client.conversions.create({
      campaign_id: campaignId,
      customer_ref: 'customer-1',
      token: 'jane',
      customer_email: 'jane@example.com',
      sale: { external_id: 'sale-1', amount_minor: 50_000, currency: 'USD' },
    })
    const id = referral?.id ?? 0
    // Jane's own email: a self-referral needs review.
    expect((await client.referrals.get(id)).status).toBe('pending_review')
    await go(`referrals/${id}`)
    await tab.getByText('customer-1').first().waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('button', { name: 'Approve' }).first().click()
    await tab
      .getByRole('dialog')
      .getByRole('button', { name: /Approve/ })
      .click()
    await soon(async () => (await client.referrals.get(id)).status === 'approved')
  })

  test('lists conversions by the day on which they were reported', async () => {
    const earlier = new Date(Date.now() - 10 * 86_400_000)
    const report = (customer_ref: string, more: object) =>
      client.conversions.create({
        campaign_id: campaignId,
        customer_ref,
        occurred_at: earlier.toISOString(),
        ...more,
      })
    await report('reported-late', { token: 'jane' })
    await report('unattributed-late', {})
    const dayOf = (date: Date) =>
      tab.evaluate(
        ms => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(ms),
        date.getTime(),
      )
    for (const [view, customer] of [
      ['all', 'reported-late'],
      ['unattributed', 'unattributed-late'],
    ] as const) {
      await go(`referrals?view=${view}`)
      await tab.reload()
      await tab.getByRole('columnheader', { name: 'Reported' }).waitFor()
      const row = tab.getByRole('row').filter({ hasText: customer })
      await row.getByText(await dayOf(new Date()), { exact: true }).waitFor()
      await row.getByText(`Converted ${await dayOf(earlier)}`).waitFor()
    }
  })

  test('approves a commission', async () => {
    const terms = ['--name', 'Held', '--hold-days', '30', '--minimum-payout-minor', '0', '--json']
    const created = await must(
      ['campaign', 'create', '--account', String(programme.accountId), ...terms],
      service.env,
    )
    const { id: held } = JSON.parse(created) as { id: number }
    await client.affiliates.create({ email: 'jane@example.com', campaign_id: held })
    await client.conversions.create({
      campaign_id: held,
      customer_ref: 'customer-2',
      token: 'jane',
      sale: { external_id: 'sale-2', amount_minor: 10_000, currency: 'USD' },
    })
    const [pending] = (await client.commissions.list({ status: 'pending' }).page()).data
    if (!pending) return expect.unreachable('Nothing waits')
    await go(`commissions/${pending.id}`)
    await tab.getByRole('button', { name: 'Approve' }).first().click()
    await tab
      .getByRole('dialog')
      .getByRole('button', { name: /Approve/ })
      .click()
    await soon(async () => (await client.commissions.get(pending.id)).status === 'approved')
  })

  test('pays: from the dry run to paid', async () => {
    await go('payouts')
    await tab
      .getByRole('link', { name: 'New payout' })
      .or(tab.getByRole('button', { name: 'New payout' }))
      .first()
      .click()
    // The list, which stays until the next page is loaded, has a filter of the same name.
    await tab.getByRole('heading', { name: 'New payout' }).waitFor()
    await tab.getByRole('combobox', { name: 'Campaign' }).or(tab.getByLabel('Campaign')).first().click()
    await tab.getByRole('option', { name: /Held/ }).click()
    await tab.getByText('jane@example.com').first().waitFor()
    expect(await obstacles(tab)).toEqual([])
    expect(await exported()).toMatch(/^payout-dry-run-\d+\.csv: affiliate_id,.*\r\n\d+,.*jane@example\.com,/)
    await tab.getByRole('button', { name: 'Create payout' }).first().click()
    await tab
      .getByRole('dialog')
      .getByRole('button', { name: /^Create payout \(/ })
      .click()
    await tab.waitForURL(/\/payouts\/\d+$/)
    const payoutId = Number(tab.url().split('/').at(-1))
    await tab.getByRole('button', { name: 'Mark as paid' }).first().click()
    await tab.getByRole('dialog').locator('button[type=submit]').click()
    await soon(async () => (await client.payouts.get(payoutId)).status === 'paid')
    await soon(() => receiver.received.find(({ body }) => body.includes('"payout.paid"')))
  })

  test.each([
    ['affiliates', 'affiliates.csv', 'jane@example.com'],
    ['campaigns', 'campaigns.csv', 'Held'],
    ['referrals?view=unattributed', 'not-attributed.csv', 'customer_ref'],
    ['webhooks', 'webhook-endpoints.csv', 'promoter.approved'],
    ['settings/api-keys', 'api-keys.csv', 'last_four'],
    ['settings/team', 'team.csv', 'owner'],
    ['settings/fx-rates', 'fx-rates.csv', 'quote'],
    ['settings/mail', 'mails.csv', 'to_address'],
    ['audit-log', 'audit-log.csv', 'campaign.create'],
  ])('exports %s as %s', async (page, name, content) => {
    await go(page)
    const file = await exported()
    expect(file.startsWith(`${name}: `)).toBe(true)
    expect(file).toContain(content)
  })

  test('revokes the key, which no longer works', async () => {
    await go('settings/api-keys')
    await tab.getByRole('button', { name: 'Revoke' }).first().click()
    const confirm = tab.getByRole('dialog').getByRole('button', { name: /Revoke/ })
    await confirm.click()
    await soon(async () => (await statusOf(client.campaigns.list().page())) === 401)
  })

  test('gives viewers no actions: hidden on the page and refused by the server', async () => {
    const api = `${service.url}/dashboard/api`
    /** As the page itself asks: with the session's cookie, and the token against forged requests. */
    const send = async ({ context }: Visitor, method: string, path: string, data: object) => {
      const { csrf_token } = await (await context.request.get(`${api}/session`)).json()
      const headers = { origin: service.url, 'tributary-csrf': csrf_token }
      return context.request.fetch(`${api}/accounts/${programme.accountId}/${path}`, {
        method,
        headers,
        data,
      })
    }
    const invitation = { email: `viewer@${programme.slug}.example`, role: 'viewer' }
    expect((await send(owner, 'POST', 'team/invitations', invitation)).ok()).toBe(true)
    const { text } = await takeMail(invitation.email, /^Join .+ on Tributary$/)
    const viewer = await newVisitor()
    await viewer.tab.goto(/http:\S+/.exec(text)?.[0] ?? '')
    await viewer.tab.getByLabel('Password').fill('correct horse battery')
    await viewer.tab.getByRole('button', { name: 'Accept' }).click()
    await viewer.tab.waitForURL(address('overview'))
    await viewer.tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await turnTo(viewer.tab, address('affiliates'))
    await viewer.tab.getByText('joe@example.com').waitFor()
    expect(await viewer.tab.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect((await send(viewer, 'PATCH', `affiliates/${joe}`, { status: 'approved' })).status()).toBe(403)
  })

  test('requests nothing from other hosts, and no script fails', () => {
    const foreign = owner.requests.filter(
      url => !url.startsWith(service.url) && !url.startsWith('data:') && !url.startsWith('blob:'),
    )
    expect(foreign).toEqual([])
    expect(owner.errors).toEqual([])
  })
})
