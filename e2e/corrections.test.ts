/**
 * Corrections in the browser: a sale and a refund recorded on a referral's page, an approved commission voided with a reason, an
 * unattributed conversion credited, and a referral reassigned.
 */
import type { Tributary } from '@tributary/sdk'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import { sharedProgramme } from './support/shared.ts'
import { soon } from './support/until.ts'

describeInBrowser('corrections', () => {
  let tab: Page
  let home: string
  let client: Tributary
  let referralId = 0
  let campaignId = 0
  let affiliateId = 0

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
    client = api(url, programme.key)
    const campaign_id = programme.campaignId
    campaignId = campaign_id
    const { id } = await client.affiliates.create({ email: 'c@example.com', campaign_id, token: 'corrected' })
    affiliateId = id
    await client.affiliates.update(id, { status: 'approved' })
    const { referral } = await client.conversions.create({
      campaign_id,
      customer_ref: 'c-1',
      token: 'corrected',
    })
    referralId = referral?.id ?? 0
  })

  test('a sale and its refund are recorded', async () => {
    await turnTo(tab, `${home}/referrals/${referralId}`)
    await tab.getByRole('button', { name: 'Record sale' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('100')
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: 'Record sale' }).click()
    await tab.getByRole('button', { name: /^Refund sale manual-sale-/ }).click()
    await dialog.getByLabel('Amount (USD)').fill('25')
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: 'Record refund' }).click()
    const amounts = await soon(async () => {
      const { data } = await client.commissions.list({ referral_id: referralId }).page()
      return data.length === 2 ? data.map(({ amount_minor }) => amount_minor) : undefined
    })
    expect(amounts).toEqual([-500, 2000])
  })

  test('an approved commission is voided with a reason', async () => {
    const { data } = await client.commissions.list({ referral_id: referralId, entry_type: 'earned' }).page()
    const id = data[0]?.id ?? 0
    await client.commissions.update(id, { status: 'approved' })
    await turnTo(tab, `${home}/commissions/${id}`)
    await tab.getByRole('button', { name: 'Void' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByText('a clawback entry takes it back').waitFor()
    await dialog.getByLabel('Reason (optional)').fill('Own order')
    await dialog.getByLabel('Show the reason to the affiliate').check()
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: 'Void 1 commission' }).click()
    const last = await soon(async () => {
      const [newest] = (await client.commissions.list({ referral_id: referralId }).page()).data
      return newest?.amount_minor === -1500 ? newest : undefined
    })
    expect(last.description).toBe('Commission voided: Own order')
    await tab.getByRole('button', { name: 'Void' }).waitFor({ state: 'detached' })
  })

  test('an unattributed conversion is credited after a preview', async () => {
    const sale = { external_id: 'c-2-first', amount_minor: 5000, currency: 'USD' }
    await client.conversions.create({ campaign_id: campaignId, customer_ref: 'c-2', sale })
    await turnTo(tab, `${home}/referrals?view=unattributed`)
    await tab.getByRole('button', { name: 'c-2' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Credit to…' }).click()
    await dialog.getByRole('combobox', { name: 'Affiliate' }).click()
    await tab.getByRole('option', { name: 'c@example.com' }).click()
    await dialog.getByText('Sale c-2-first').waitFor()
    await dialog.getByLabel('Reason').fill('Told us on the phone')
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: 'Credit affiliate' }).click()
    await tab.getByRole('heading', { name: 'Referral: c-2' }).waitFor()
    await tab.getByText(/^Credited manually on .*: Told us on the phone\.$/).waitFor()
    const { data } = await client.commissions.list().page()
    expect(data[0]).toMatchObject({ amount_minor: 1000, description: 'Sale c-2-first' })
  })

  test('a referral is reassigned after a preview', async () => {
    const campaign_id = campaignId
    const { id } = await client.affiliates.create({ email: 'd@example.com', campaign_id, token: 'rightful' })
    await client.affiliates.update(id, { status: 'approved' })
    // On the page of the conversion that was just credited.
    await tab.getByRole('button', { name: 'Reassign…' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Affiliate' }).click()
    await tab.getByRole('option', { name: 'd@example.com' }).click()
    await dialog.getByText('Taken back').waitFor()
    await dialog.getByLabel('Reason').fill('Mixed up two names')
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: 'Reassign referral' }).click()
    await tab.getByRole('link', { name: 'd@example.com' }).first().waitFor()
    const { data } = await client.commissions.list({ affiliate_id: id }).page()
    expect(data).toMatchObject([{ amount_minor: 1000, description: 'Sale c-2-first' }])
  })

  test('a token and a commission are changed after their effect was shown', async () => {
    await turnTo(tab, `${home}/affiliates/${affiliateId}`)
    await tab.getByLabel('Token').fill('renamed')
    await tab.getByRole('button', { name: 'Save' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByText('Links and reports with corrected still credit this affiliate').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: 'Change token' }).click()
    await tab.getByText('Links with former tokens still work: corrected.').waitFor()
    await turnTo(tab, `${home}/campaigns/${campaignId}`)
    await tab.getByLabel('Percentage', { exact: true }).fill('25')
    await tab.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/^2 enrolled affiliates earn the new commission/).waitFor()
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: 'Change commission' }).click()
    await tab.getByText('Campaign updated').waitFor()
  })
})
