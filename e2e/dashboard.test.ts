/** The dashboard as its people use it: a real browser, the program itself, and nothing between them. */
import { readFileSync } from 'node:fs'
import { verifyWebhook } from '@tributary/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api, statusOf } from './support/api.ts'
import { hasBrowser, launchBrowser, newVisitor, type Visitor } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { type Env, must } from './support/program.ts'
import { startReceiver } from './support/recording-receiver.ts'
import { type Service, serve } from './support/service.ts'
import { newDataDir } from './support/temporary.ts'
import { until as untilWithin } from './support/until.ts'

const PASSWORD = 'correct horse battery'
const SOON_MS = 10_000
const until = <T>(ask: () => T | Promise<T>) => untilWithin(String(ask), SOON_MS, ask)

describe.runIf(hasBrowser)('the dashboard', () => {
  let env: Env
  let service: Service
  let owner: Visitor
  let tab: Page
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let secret = ''
  let key = ''

  const go = async (page: string) => {
    await tab.goto(`${service.url}/dashboard/acme/${page}`)
    await tab.getByRole('heading', { level: 1 }).waitFor()
  }
  /** What the browser saves when the page's list is exported, with its name. */
  const exported = async () => {
    const saving = tab.waitForEvent('download')
    await tab
      .getByRole('link', { name: /^Export/ })
      .first()
      .click()
    const saved = await saving
    return `${saved.suggestedFilename()}: ${readFileSync(await saved.path(), 'utf8')}`
  }
  const client = () => api(service.url, key)

  beforeAll(async () => {
    env = { TRIBUTARY_DATA_DIR: await newDataDir() }
    service = await serve(env)
    owner = await newVisitor(await launchBrowser())
    tab = owner.tab
    tab.setDefaultTimeout(SOON_MS)
    receiver = await startReceiver()
  })
  afterAll(() => receiver.close())

  test('leads to the set-up, which takes the code that the server printed and no other', async () => {
    await tab.goto(service.url)
    await tab.waitForURL('**/dashboard/setup')
    const code = await until(() => /with the code (\S+)/.exec(service.output.stdout)?.[1])
    await tab.getByLabel('Company').fill('Acme')
    await tab.getByLabel('Email').fill('owner@acme.example')
    await tab.getByLabel('Password').fill(PASSWORD)
    await tab.getByLabel('Set-up code').fill('AAAA-BBBB-CCCC')
    await tab.getByRole('button', { name: 'Create account' }).click()
    await tab.getByRole('alert').getByText('not the one that the server printed').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByLabel('Set-up code').fill(code)
    await tab.getByRole('button', { name: 'Create account' }).click()
    await tab.waitForURL('**/dashboard/acme/overview')
  })

  test('lets in who knows the password, and nobody else', async () => {
    await tab.getByRole('button', { name: 'Your account' }).click()
    await tab.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await tab.waitForURL('**/dashboard/signin')
    expect(await obstacles(tab)).toEqual([])
    await tab.getByLabel('Email').fill('owner@acme.example')
    await tab.getByLabel('Password').fill('something else')
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('alert').getByText('email address or the password is wrong').waitFor()
    await tab.getByLabel('Password').fill(PASSWORD)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL('**/dashboard/acme/overview')
    for (const name of 'Overview,Affiliates,Campaigns,Referrals,Commissions,Payouts,Webhooks,Settings,Audit log'.split(
      ',',
    ))
      await tab.getByRole('link', { name, exact: true }).first().waitFor()
  })

  test('makes an API key that works', async () => {
    await go('settings/api-keys')
    await tab.getByRole('button', { name: 'Create key' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill('backend')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    key = await until(
      async () => /trib_[0-9A-Za-z]{38}/.exec((await tab.locator('body').innerText()) ?? '')?.[0],
    )
    expect((await client().campaigns.list().page()).data).toEqual([])
  })

  test('creates a campaign', async () => {
    await go('campaigns/new')
    await tab.getByLabel('Name', { exact: true }).fill('Partners')
    await tab.getByLabel('Hold (days)').fill('0')
    await tab.getByRole('button', { name: /Create campaign/ }).click()
    await until(async () => (await client().campaigns.list().page()).data[0]?.name === 'Partners')
  })

  test('adds an endpoint, whose test event arrives with a valid signature', async () => {
    await go('webhooks')
    await tab.getByRole('button', { name: 'Add endpoint' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('URL').fill(receiver.url)
    for (const box of await dialog.getByRole('checkbox').all()) await box.check()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    secret = await until(
      async () => /whsec_[A-Za-z0-9+/=]{44}/.exec(await tab.locator('body').innerText())?.[0],
    )
    await go('webhooks')
    await tab.getByRole('button', { name: 'Send test event' }).first().click()
    const delivery = await until(() => receiver.received[0])
    const event = await verifyWebhook(delivery.body, delivery.headers as never, secret)
    expect(event.type).toMatch(/\./)
  })

  test('approves an affiliate, and the webhook tells it', async () => {
    for (const name of ['jane', 'joe'])
      await client().affiliates.create({ email: `${name}@example.com`, campaign_id: 1, token: name, name })
    await go('affiliates')
    await tab
      .getByRole('row', { name: /jane@example.com/ })
      .getByRole('button', { name: 'Approve' })
      .click()
    const told = await until(() =>
      receiver.received.find(
        ({ body }) => body.includes('promoter.approved') && body.includes('jane@example.com'),
      ),
    )
    expect((await verifyWebhook(told.body, told.headers as never, secret)).type).toBe('promoter.approved')
    await until(async () => (await client().affiliates.get(1)).status === 'approved')
  })

  test('keeps mails to be read where there is no mail server', async () => {
    const row = tab.getByRole('row', { name: /jane@example.com.*Kept/ })
    await until(async () => {
      await go('settings/mail')
      await settle()
      return (await row.count()) > 0
    })
    await tab.getByText('No mail server is set').waitFor()
    await row.getByRole('button', { name: 'Acme has approved you' }).click()
    const mail = tab.getByRole('dialog').frameLocator('iframe')
    await mail.getByRole('link', { name: 'Get your link' }).waitFor()
  })

  test('shows a conversion with its explanation, and reviews a referral', async () => {
    await client().conversions.create({
      campaign_id: 1,
      customer_ref: 'customer-1',
      token: 'jane',
      customer_email: 'jane@example.com',
      sale: { external_id: 'sale-1', amount_minor: 50_000, currency: 'USD' },
    })
    const { status } = await client().referrals.get(1)
    // Jane's own address: a referral of oneself waits for a person.
    expect(status).toBe('pending_review')
    await go('referrals/1')
    await tab.getByText('customer-1').first().waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('button', { name: 'Approve' }).first().click()
    const confirm = tab.getByRole('dialog').getByRole('button', { name: /Approve/ })
    await confirm.waitFor({ timeout: 2000 }).then(
      () => confirm.click(),
      () => undefined,
    )
    await until(async () => (await client().referrals.get(1)).status === 'approved')
  })

  test('approves a commission', async () => {
    await must(
      [
        'campaign',
        'create',
        '--account',
        '1',
        '--name',
        'Held',
        '--hold-days',
        '30',
        '--minimum-payout-minor',
        '0',
      ],
      env,
    )
    await client().affiliates.create({ email: 'jane@example.com', campaign_id: 2 })
    await client().conversions.create({
      campaign_id: 2,
      customer_ref: 'customer-2',
      token: 'jane',
      sale: { external_id: 'sale-2', amount_minor: 10_000, currency: 'USD' },
    })
    const [pending] = (await client().commissions.list({ status: 'pending' }).page()).data
    if (!pending) return expect.unreachable('Nothing waits')
    await go(`commissions/${pending.id}`)
    await tab.getByRole('button', { name: 'Approve' }).first().click()
    const confirm = tab.getByRole('dialog').getByRole('button', { name: /Approve/ })
    await confirm.waitFor({ timeout: 2000 }).then(
      () => confirm.click(),
      () => undefined,
    )
    await until(async () => (await client().commissions.get(pending.id)).status === 'approved')
  })

  test('pays: from the dry run to paid', async () => {
    await go('payouts')
    await tab
      .getByRole('link', { name: 'New payout' })
      .or(tab.getByRole('button', { name: 'New payout' }))
      .first()
      .click()
    await tab.getByRole('combobox', { name: 'Campaign' }).or(tab.getByLabel('Campaign')).first().click()
    await tab.getByRole('option', { name: /Held/ }).click()
    await tab.getByText('jane@example.com').first().waitFor()
    expect(await obstacles(tab)).toEqual([])
    expect(await exported()).toMatch(/^payout-dry-run-\d+\.csv: affiliate_id,.*\r\n\d+,.*jane@example\.com,/)
    await tab.getByRole('button', { name: 'Create payout' }).first().click()
    await tab
      .getByRole('dialog')
      .getByRole('button', { name: /^Create it/ })
      .click()
    await tab.waitForURL(/\/payouts\/\d+$/)
    await tab.getByRole('button', { name: 'Mark paid' }).first().click()
    await tab.getByRole('dialog').locator('button[type=submit]').click()
    await until(async () => (await client().payouts.get(1)).status === 'paid')
    await until(() => receiver.received.find(({ body }) => body.includes('"payout.paid"')))
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
  ])('gives %s away as %s', async (page, name, content) => {
    await go(page)
    const file = await exported()
    expect(file.startsWith(`${name}: `)).toBe(true)
    expect(file).toContain(content)
  })

  test('revokes the key, which then opens nothing', async () => {
    await go('settings/api-keys')
    await tab.getByRole('button', { name: 'Revoke' }).first().click()
    const confirm = tab.getByRole('dialog').getByRole('button', { name: /Revoke/ })
    await confirm.click()
    await until(async () => (await statusOf(client().campaigns.list().page())) === 401)
  })

  test('is closed to a viewer where it changes something: hidden on the page and refused by the server', async () => {
    await go('settings/team')
    const info = (await tab.evaluate(async () => (await fetch('/dashboard/api/session')).json())) as {
      csrf_token: string
    }
    const invited = (await tab.evaluate(async (csrf: string) => {
      const answer = await fetch('/dashboard/api/accounts/1/team/invitations', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'tributary-csrf': csrf },
        body: JSON.stringify({ email: 'viewer@acme.example', role: 'viewer' }),
      })
      return answer.json()
    }, info.csrf_token)) as { link: string }
    const viewer = await newVisitor(owner.context.browser() as never)
    await viewer.tab.goto(invited.link)
    await viewer.tab.getByLabel('Password').fill(PASSWORD)
    await viewer.tab.getByRole('button', { name: 'Accept' }).click()
    await viewer.tab.waitForURL('**/dashboard/acme/overview')
    await viewer.tab.goto(`${service.url}/dashboard/acme/affiliates`)
    await viewer.tab.getByText('joe@example.com').waitFor()
    expect(await viewer.tab.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    const status = await viewer.tab.evaluate(async () => {
      const { csrf_token } = (await (await fetch('/dashboard/api/session')).json()) as { csrf_token: string }
      const answer = await fetch('/dashboard/api/accounts/1/affiliates/2', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'tributary-csrf': csrf_token },
        body: '{"status":"approved"}',
      })
      return answer.status
    })
    expect(status).toBe(403)
  })

  const pages = [
    'overview',
    'affiliates',
    'affiliates/1',
    'affiliates/import',
    'campaigns',
    'campaigns/1',
    'campaigns/new',
    'referrals',
    'commissions',
    'commissions/1',
    'payouts',
    'payouts/1',
    'payouts/new',
    'webhooks',
    'webhooks/deliveries/1',
    'settings',
    'settings/api-keys',
    'settings/team',
    'settings/portal',
    'settings/payout-rails',
    'settings/mail',
    'audit-log',
  ]

  /** Until nothing of the page is still on its way. */
  const settle = () => tab.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' })
  /** The darker half of the palette is the same on every page, so these stand for the rest. */
  const darkPages = ['overview', 'affiliates/1', 'payouts/1', 'webhooks']

  test.each([
    ['light', pages],
    ['dark', darkPages],
  ] as const)(
    'keeps nobody out: axe finds nothing in the way on any page in %s',
    async (colorScheme, shown) => {
      await tab.emulateMedia({ colorScheme })
      for (const page of shown) {
        await go(page)
        await settle()
        expect([page, await obstacles(tab)]).toEqual([page, []])
      }
    },
    60_000,
  )

  test('fits a phone: no page scrolls sideways', async () => {
    await tab.setViewportSize({ width: 390, height: 844 })
    for (const page of [
      'overview',
      'affiliates',
      'affiliates/1',
      'campaigns/1',
      'referrals',
      'payouts/1',
      'webhooks',
      'settings/team',
      'settings/portal',
      'settings/mail',
    ]) {
      await go(page)
      await settle()
      const overflow = await tab.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect([page, overflow]).toEqual([page, 0])
    }
  }, 60_000)

  test('asks nobody but the service, and no script of it failed', () => {
    const foreign = owner.requests.filter(
      url => !url.startsWith(service.url) && !url.startsWith('data:') && !url.startsWith('blob:'),
    )
    expect(foreign).toEqual([])
    expect(owner.errors).toEqual([])
  })
})

test('the first load stays below 250 kB of compressed script', async () => {
  const { readdirSync, statSync } = await import('node:fs')
  const folder = new URL('../web/dist/', import.meta.url)
  const page = readFileSync(new URL('dashboard.html', folder), 'utf8')
  const scripts = [...page.matchAll(/(?:src|href)="\/web\/assets\/([^"]+\.js)"/g)].map(
    ([, file]) => file as string,
  )
  expect(scripts.length).toBeGreaterThan(0)
  const size = scripts.reduce((sum, file) => sum + statSync(new URL(`assets/${file}.br`, folder)).size, 0)
  expect(size).toBeLessThan(250_000)
  expect(readdirSync(new URL('assets/', folder)).filter(file => file.endsWith('.js')).length).toBeGreaterThan(
    10,
  )
})
