/** Protects reports from the browser: their days and cut-offs are the account's, wherever the person who reads them is. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { describeInBrowser, newVisitor, textOf } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import type { Programme } from './support/programme.ts'
import { sharedProgramme } from './support/shared.ts'
import type { SharedService } from './support/shared-parts.ts'
import { soon } from './support/until.ts'

/** Where the reader is, 18 or 19 hours behind the account for most of the year. */
const BROWSER = 'America/Los_Angeles'
const ACCOUNT = 'Pacific/Auckland'

const dayIn = (zone: string, time: string | number) =>
  new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' }).format(new Date(time))

describeInBrowser('an account in another time zone than its reader', () => {
  let service: SharedService
  let programme: Programme
  let tab: Page
  let affiliateId = 0
  const go = (page: string) => turnTo(tab, `${service.url}/dashboard/${programme.slug}/${page}`)

  beforeAll(async () => {
    ;({ programme, ...service } = await sharedProgramme())
    tab = (await newVisitor({ timezoneId: BROWSER, locale: 'en-US' })).tab
    const client = api(service.url, programme.key)
    const { affiliate } = await earn(client)
    affiliateId = affiliate
    await tab.goto(`${service.url}/dashboard/signin`)
    await tab.getByLabel('Email').fill(programme.owner.email)
    await tab.getByLabel('Password').fill(programme.owner.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL('**/overview')
    await loaded(tab)
  })

  /** One referred sale. */
  async function earn(client: ReturnType<typeof api>): Promise<{ affiliate: number }> {
    const { id, token } = await client.affiliates.create({
      email: 'jane@example.com',
      campaign_id: programme.campaignId,
    })
    await client.affiliates.update(id, { status: 'approved' })
    await client.conversions.create({
      campaign_id: programme.campaignId,
      customer_ref: 'customer-1',
      token,
    })
    await client.sales.create({
      external_id: 'sale-1',
      customer_ref: 'customer-1',
      amount_minor: 10_000,
      currency: 'USD',
    })
    return { affiliate: id }
  }

  test('names UTC until a zone is set', async () => {
    await go('overview')
    await tab.getByText('All dates in UTC. Test data excluded.').waitFor()
  })

  test('is set by an owner, who finds the zone by its city', async () => {
    await go('settings/general')
    const field = tab.getByRole('combobox', { name: 'Time zone' })
    await field.click()
    await field.fill('auckl')
    await tab.getByRole('option', { name: ACCOUNT }).click()
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Account updated').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.reload()
    await loaded(tab)
    expect(await tab.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe(ACCOUNT)
  })

  test('groups the overview by days in its own zone', async () => {
    await go('overview')
    await tab.getByText(`All dates in ${ACCOUNT}. Test data excluded.`).waitFor()
    await tab.getByRole('switch').first().click()
    const today = new Date(`${dayIn(ACCOUNT, Date.now())}T12:00:00Z`)
    const shown = today.toLocaleDateString('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' })
    const rows = await tab.locator('tbody tr').allInnerTexts()
    expect(rows.at(-1)).toMatch(new RegExp(`^${shown}\\s`))
  })

  test('has cut-offs in its own time, whatever the browser’s is', async () => {
    await go(`payouts/new?campaign_id=${programme.campaignId}`)
    await tab.getByText(`Time zone: ${ACCOUNT}`).waitFor()
    await tab.getByLabel('Cut-off').fill('2026-07-01T09:30')
    // 09:30 in Auckland in winter is 21:30 UTC of the day before.
    const cutOff = tab.locator('time[datetime="2026-06-30T21:30:00.000Z"]')
    await cutOff.waitFor()
    expect(await cutOff.innerText()).toMatch(/^Jul 1, 2026.*9:30.AM Pacific\/Auckland$/)
    // The reader's own time is a tooltip away.
    await cutOff.hover()
    await tab
      .getByRole('tooltip')
      .getByText(/June 30, 2026.*2:30.*PDT/)
      .waitFor()
  })

  test('has statements by its own days', async () => {
    await go(`affiliates/${affiliateId}`)
    const link = tab.getByRole('link', { name: 'Download statement' })
    const saved = async () => {
      const saving = tab.waitForEvent('download')
      await link.click()
      return (await textOf(await saving)).trimEnd().split('\r\n')
    }
    const [head, line] = await saved()
    expect(head).toMatch(/,day \(Pacific\/Auckland\)$/)
    const earnedAt = line?.split(',')[0] as string
    const day = dayIn(ACCOUNT, earnedAt)
    expect(line?.endsWith(`,${day}`)).toBe(true)
    await tab.getByLabel('End date').fill(day)
    await soon(async () => (await link.getAttribute('href'))?.endsWith(`as_of=${day}`))
    expect(await saved()).toHaveLength(2)
    const before = dayIn('UTC', Date.parse(day) - 86_400_000)
    await tab.getByLabel('End date').fill(before)
    await soon(async () => (await link.getAttribute('href'))?.endsWith(`as_of=${before}`))
    expect(await saved()).toHaveLength(1)
  })
})
