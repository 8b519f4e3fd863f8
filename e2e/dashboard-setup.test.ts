/** The first minutes with the dashboard: a service that has no account and no mail server yet, and a real browser. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded } from './support/pages.ts'
import { must, shell } from './support/program.ts'
import { lastLine } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { emptyDataDir } from './support/shared.ts'
import { soon } from './support/until.ts'

const PASSWORD = 'correct horse battery'

describeInBrowser('the dashboard of a new service', () => {
  let dataDir: string
  let service: Service
  let tab: Page

  beforeAll(async () => {
    dataDir = await emptyDataDir()
    service = await serve({ TRIBUTARY_DATA_DIR: dataDir })
    tab = (await newVisitor()).tab
  })

  test('leads to the set-up, which takes the code that the server printed and no other', async () => {
    await tab.goto(service.url)
    await tab.waitForURL('**/dashboard/setup')
    const code = await soon(() => /^Setup code: (\S+)$/m.exec(service.output.stdout)?.[1])
    await tab.getByLabel('Company').fill('Acme')
    await tab.getByLabel('Email').fill('owner@acme.example')
    await tab.getByLabel('Password').fill(PASSWORD)
    await tab.getByLabel('Setup code').fill('AAAA-BBBB-CCCC')
    await tab.getByRole('button', { name: 'Create account' }).click()
    await tab.getByRole('alert').getByText('The setup code is incorrect').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByLabel('Setup code').fill(code)
    await tab.getByRole('button', { name: 'Create account' }).click()
    await tab.waitForURL('**/dashboard/acme/overview')
  })

  test('leads from installation to a paid test payout in at most nine steps', async () => {
    // The program was installed and started, and the account was set up.
    const steps = ['install and start', 'set up']
    const list = tab.getByRole('region', { name: 'Get started' })
    const backToList = async () => {
      await tab.getByRole('link', { name: 'Overview', exact: true }).first().click()
      await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await loaded(tab)
    }

    steps.push('create a campaign')
    await list.getByRole('link', { name: 'Create campaign' }).click()
    await tab.getByLabel('Name', { exact: true }).fill('Partners')
    await tab.getByRole('button', { name: 'Create campaign' }).click()
    await tab.getByText('Campaign created').waitFor()

    steps.push('add an affiliate')
    await backToList()
    await list.getByRole('link', { name: 'Add affiliate' }).click()
    await tab.getByRole('button', { name: 'Add affiliate' }).first().click()
    const adding = tab.getByRole('dialog')
    await adding.getByLabel('Email').first().fill('jo@example.com')
    await adding.getByLabel('Name').fill('Jo Doe')
    await adding.getByText("Email isn't set up.").waitFor()
    expect(await obstacles(tab)).toEqual([])
    await adding.getByRole('button', { name: 'Add affiliate' }).click()
    await tab.getByText('Affiliate added').waitFor()

    steps.push('create an API key')
    await backToList()
    await list.getByRole('link', { name: 'Create API key' }).click()
    await tab.getByRole('button', { name: 'Create API key' }).first().click()
    const making = tab.getByRole('dialog')
    await making.getByLabel('Name').fill('backend')
    await making.getByRole('button', { name: 'Create API key' }).click()
    const KEY = await making.locator('[data-shown-once]').innerText()
    await making.getByRole('button', { name: 'Done' }).click()

    steps.push('run the sample')
    await backToList()
    const sample = await list.getByText('ingest/v1/conversions').innerText()
    expect(sample).toContain('"token": "jo-doe"')
    const { code, stderr } = await shell(sample, { KEY })
    expect(code, stderr).toBe(0)
    // Without a reload.
    await list.getByText('Received — credited to Jo Doe').waitFor()
    expect(await obstacles(tab)).toEqual([])

    steps.push('create a test payout')
    await list.getByRole('link', { name: 'Create test payout' }).click()
    await tab.getByText("Why there's nothing to pay yet").waitFor()
    await tab.getByRole('button', { name: /^Create test payout/ }).click()
    const made = tab.getByRole('article', { name: /^Test payout \d+/ })
    await made.getByText('Jo Doe').waitFor()
    await made.getByText('No money was sent.').waitFor()
    expect(await obstacles(tab)).toEqual([])
    expect(steps.length).toBeLessThanOrEqual(9)

    await backToList()
    await list.getByText('5 of 7 complete').waitFor()
    await list.getByRole('button', { name: 'Dismiss' }).click()
    await list.waitFor({ state: 'detached' })
  })

  test('admits only a user with the right password', async () => {
    await tab.getByRole('button', { name: 'Your account' }).click()
    await tab.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await tab.waitForURL('**/dashboard/signin')
    await tab.getByLabel('Password').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByLabel('Email').fill('owner@acme.example')
    await tab.getByLabel('Password').fill('something else')
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('alert').getByText('Incorrect email address or password').waitFor()
    await tab.getByLabel('Password').fill(PASSWORD)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL('**/dashboard/acme/overview')
    for (const name of 'Overview,Affiliates,Campaigns,Referrals,Commissions,Payouts,Webhooks,Settings,Audit log'.split(
      ',',
    ))
      await tab.getByRole('link', { name, exact: true }).first().waitFor()
  })

  test('lists emails that are not sent without a mail server', async () => {
    const env = { TRIBUTARY_DATA_DIR: dataDir }
    const key = lastLine(await must(['key', 'create', '--account', '1', '--name', 'e2e'], env))
    const campaign = await must(['campaign', 'create', '--account', '1', '--name', 'Second', '--json'], env)
    const { affiliates } = api(service.url, key)
    const { id } = await affiliates.create({
      email: 'jane@example.com',
      campaign_id: JSON.parse(campaign).id,
    })
    await affiliates.update(id, { status: 'approved' })
    const row = tab.getByRole('row', { name: /jane@example.com.*Not sent/ })
    await soon(async () => {
      await tab.goto(`${service.url}/dashboard/acme/settings/mail`)
      await loaded(tab)
      return (await row.count()) > 0
    })
    await tab.getByText("Email isn't set up").waitFor()
    await row.getByRole('button', { name: 'Acme approved your application' }).click()
    const mail = tab.getByRole('dialog').frameLocator('iframe')
    await mail.getByRole('link', { name: 'Get your link' }).waitFor()
  })
})

test('the first load stays below 250 kB of compressed script', () => {
  const builds = new URL('../server/dist/', import.meta.url)
  const current = readFileSync(new URL('current', builds), 'utf8').trim()
  const folder = new URL(`${current}/web/`, builds)
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
