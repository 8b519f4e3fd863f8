/** Protects the queue of fraud signals: found in the background, shown with their evidence, and decided about by a person. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { loaded } from './support/pages.ts'
import { type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { soon, until } from './support/until.ts'

describeInBrowser('fraud signals', () => {
  let acme: PortalProgramme
  let affiliateId: number
  beforeAll(async () => {
    acme = await startPortalProgramme()
    affiliateId = await acme.affiliate('eve', { name: 'Eve', email: `${acme.slug}@mailinator.com` })
    await until('the background work has found it', async () => {
      const { data } = await acme.manage('GET', 'signals?status=open')
      return data.length > 0
    })
  })
  afterAll(() => acme?.close())

  /** A new customer of the affiliate. */
  const convert = (name: string) =>
    acme.client.conversions.create({
      campaign_id: acme.partners,
      customer_ref: `${acme.slug}-${name}`,
      token: 'eve',
    })

  test('lead from the overview to a decision, which can be ended', async () => {
    const { tab } = acme.owner
    const at = (page: string) => `${acme.service.url}/dashboard/${acme.slug}/${page}`
    expect((await convert('first')).referral?.status).toBe('approved')
    await tab.goto(at('overview'))
    await tab.getByRole('link', { name: '1 to review' }).click()
    await tab.getByRole('heading', { name: 'Fraud signals' }).waitFor()
    const row = tab.getByRole('row', { name: /Disposable email/ })
    await row.getByText('Email address at mailinator.com').waitFor()
    await row.getByText('+50').waitFor()

    // On a phone, the button is visible without scrolling the table.
    const decide = row.getByRole('button', { name: 'Decide about Eve' })
    const size = tab.viewportSize()
    await tab.setViewportSize({ width: 390, height: 800 })
    await soon(async () => {
      const box = await decide.boundingBox()
      return (box !== null && box.x + box.width <= 390) || undefined
    })
    await tab.setViewportSize(size ?? { width: 1280, height: 720 })

    await decide.click()
    const dialog = tab.getByRole('dialog')
    await expect.poll(() => dialog.getByRole('radio').count()).toBe(3)
    await dialog.getByLabel('Hold new referrals').check()
    await dialog.getByLabel('Reason (optional)').fill('Ask for another address')
    await dialog.getByRole('button', { name: 'Hold new referrals' }).click()
    await tab.getByText('No open signals').waitFor()

    await tab.getByRole('tab', { name: 'Decided' }).click()
    await tab.getByText('Ask for another address').waitFor()
    expect((await convert('second')).referral?.status).toBe('pending_review')

    await tab.getByRole('link', { name: 'Eve', exact: true }).click()
    await loaded(tab)
    await tab.getByRole('button', { name: 'End hold' }).click()
    await tab.getByText('Hold ended').waitFor()
    await tab.getByText('New referrals are held for review').waitFor({ state: 'detached' })
    expect((await acme.manage('GET', `affiliates/${affiliateId}`)).is_held).toBe(false)
  })
})
