/** Changes that concern links in use or many affiliates: confirmed with their effect, and links that keep working. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { turnTo } from './support/pages.ts'
import { PERSON, type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'
import { sharedProgramme } from './support/shared.ts'

/** Bots are redirected without a click. */
const headers = { accept: 'text/html,*/*;q=0.8', 'user-agent': PERSON.userAgent }
const visit = (url: string) => fetch(url, { headers, redirect: 'manual' })

describeInBrowser('changes of what is in use', () => {
  let acme: PortalProgramme
  let janeId: number
  beforeAll(async () => {
    acme = await startPortalProgramme()
    janeId = await acme.affiliate('jane', { name: 'Jane' })
  })
  afterAll(() => acme?.close())

  test('a token is changed after a confirmation, and links with the old one still credit the affiliate', async () => {
    const { tab } = acme.owner
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/affiliates/${janeId}`)
    const token = tab.getByLabel('Token', { exact: true })
    const dialog = tab.getByRole('dialog', { name: 'Change token' })
    await token.fill('jane-porter')
    await press(tab, 'Save')
    await dialog.getByText('Links and reports with jane still credit this affiliate').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await press(dialog, 'Cancel')
    await dialog.waitFor({ state: 'detached' })
    expect(await token.inputValue()).toBe('jane-porter')
    expect((await acme.client.affiliates.get(janeId)).token).toBe('jane')

    await press(tab, 'Save')
    await press(dialog, 'Change token')
    await tab.getByText('Links with former tokens still work: jane.').waitFor()
    expect((await acme.client.affiliates.get(janeId)).token).toBe('jane-porter')

    const { status, headers } = await visit(`${acme.service.url}/r/${acme.slug}/jane/partners`)
    const to = new URL(headers.get('location') as string)
    expect([status, to.origin]).toEqual([302, acme.shop.url])
    const { referral } = await acme.client.conversions.create({
      campaign_id: acme.partners,
      customer_ref: 'by the old link',
      click_id: Number(to.searchParams.get('click_id')),
    })
    expect(referral?.affiliate_id).toBe(janeId)
  })

  test('a commission is changed after a confirmation, unless it is cancelled', async () => {
    const { tab } = acme.owner
    await turnTo(tab, `${acme.service.url}/dashboard/${acme.slug}/campaigns/${acme.partners}`)
    const versions = tab.getByText(/^Version \d+, from/)
    const percentage = tab.getByLabel('Percentage', { exact: true })
    const dialog = tab.getByRole('dialog', { name: 'Change commission' })
    await percentage.fill('20')
    await press(tab, 'Save')
    await dialog.getByText('1 enrolled affiliate earns the new commission on sales from now on.').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await press(dialog, 'Cancel')
    await dialog.waitFor({ state: 'detached' })
    await tab.reload()
    await percentage.waitFor()
    expect([await percentage.inputValue(), await versions.count()]).toEqual(['15', 1])

    await percentage.fill('20')
    await press(tab, 'Save')
    await press(dialog, 'Change commission')
    await tab.getByText('Version 2, from').waitFor()
    expect(await percentage.inputValue()).toBe('20')
    acme.expectNothingForeign()
  })

  test('an unknown link leads to the destination, and to a page where there is none', async () => {
    for (const path of ['unknown', 'unknown/partners', 'jane/unknown', '']) {
      const { status, headers } = await visit(`${acme.service.url}/r/${acme.slug}/${path}`)
      expect([path, status, headers.get('location')]).toEqual([path, 302, `${acme.shop.url}/`])
    }
    const { programme } = await sharedProgramme()
    const { tab } = await acme.visitor()
    for (const path of [`${programme.slug}/unknown`, 'unknown/jane']) {
      const response = await tab.goto(`${acme.service.url}/r/${path}`)
      expect([response?.status(), response?.headers()['content-type']]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      await tab.getByRole('heading', { name: 'This link doesn’t work' }).waitFor()
      expect(await obstacles(tab)).toEqual([])
    }
  })
})
