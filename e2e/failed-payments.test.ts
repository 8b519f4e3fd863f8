/** A failed payment in the browser: what can be done about it, after a download that warned of its consequence. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import { sharedProgramme } from './support/shared.ts'

describeInBrowser('a failed payment', () => {
  let tab: Page
  let home: string

  beforeAll(async () => {
    const { programme, url } = await sharedProgramme()
    home = `${url}/dashboard/${programme.slug}`
    ;({ tab } = await newVisitor())
    await tab.goto(`${url}/dashboard/signin`)
    await tab.getByLabel('Email').fill(programme.owner.email)
    await tab.getByLabel('Password').fill(programme.owner.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL(`${home}/overview`)
    await loaded(tab)

    const client = api(url, programme.key)
    const token = 'unlucky'
    const email = 'unlucky@example.com'
    const { id } = await client.affiliates.create({ email, campaign_id: programme.campaignId, token })
    await client.affiliates.update(id, { status: 'approved', paypal_email: 'unlucky@pay.example' })
    const { commissions } = await client.conversions.create({
      campaign_id: programme.campaignId,
      customer_ref: 'unlucky-customer',
      token,
      sale: { external_id: 'unlucky-sale', amount_minor: 500_000, currency: 'USD' },
    })
    const [commission] = commissions
    if (commission?.status === 'pending')
      await client.commissions.update(commission.id, { status: 'approved' })
    await turnTo(tab, `${home}/payouts/new?campaign_id=${programme.campaignId}`)
    await tab.getByRole('button', { name: 'Create payout' }).click()
    await tab
      .getByRole('dialog')
      .getByRole('button', { name: /^Create payout/ })
      .click()
    await tab.getByRole('heading', { name: /^Payout \d+$/ }).waitFor()
  })

  test('follows a download that warns, and offers three ways to resolve it', async () => {
    await tab.getByRole('button', { name: 'Download payment file' }).click()
    await tab.getByText('Downloading ends cancellation').waitFor()
    const saving = tab.waitForEvent('download')
    await tab.getByRole('button', { name: 'Download Bank CSV' }).click()
    await saving
    await tab.getByRole('button', { name: 'Mark as failed', exact: true }).click()
    await tab.getByLabel('Reason').fill('Account closed')
    await tab.getByRole('dialog').getByRole('button', { name: 'Mark as failed' }).click()
    await tab.getByText('1 payment failed', { exact: true }).waitFor()
    await tab.getByText('PayPal address: unlucky@pay.example').waitFor()
    expect(await tab.getByText('Paid to').count()).toBe(0)

    await tab.getByRole('button', { name: /^Resolve failed payment/ }).click()
    for (const choice of ['Retry in next payout', 'Mark as paid'])
      await tab.getByRole('menuitem', { name: choice }).waitFor()
    expect(await obstacles(tab)).toEqual([])
    const first = tab.url()
    await tab.getByRole('menuitem', { name: /^Retry(?! in)/ }).click()
    await tab
      .getByRole('dialog')
      .getByRole('button', { name: /^Retry/ })
      .click()
    await tab.waitForURL(url => url.href !== first && /\/payouts\/\d+$/.test(url.pathname))
    // The address changes before the page does.
    const next = tab.url().split('/').at(-1)
    await tab.getByRole('heading', { level: 1, name: `Payout ${next}`, exact: true }).waitFor()
    await tab.getByText('PayPal address: unlucky@pay.example').waitFor()
    expect(await tab.getByRole('button', { name: /^Resolve failed payment/ }).count()).toBe(0)
  })
})
