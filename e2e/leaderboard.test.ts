/** The leaderboard: turned on by the company, seen by an affiliate, who is hidden until they choose a nickname. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'

describeInBrowser('the leaderboard', () => {
  let acme: PortalProgramme
  let janeId: number
  beforeAll(async () => {
    acme = await startPortalProgramme()
    janeId = await acme.affiliate('jane', { name: 'Jane Porter' })
    await acme.affiliate('kim', { name: 'Kim' })
    for (const [token, customer_ref] of [
      ['jane', 'c-1'],
      ['kim', 'c-2'],
      ['kim', 'c-3'],
    ] as const)
      await acme.client.conversions.create({ campaign_id: acme.partners, customer_ref, token })
  })
  afterAll(() => acme?.close())

  test('is turned on, and shows an affiliate as they choose', async () => {
    const { tab: owners } = acme.owner
    await owners.goto(`${acme.service.url}/dashboard/${acme.slug}/settings/portal`)
    await owners.getByRole('combobox', { name: 'Leaderboard' }).click()
    await owners.getByRole('option', { name: 'By conversions' }).click()
    expect(await owners.getByRole('switch', { name: /^Show everyone's numbers/ }).isChecked()).toBe(false)
    await press(owners, 'Save')
    await owners.getByText('Portal settings saved').waitFor()
    expect(await obstacles(owners)).toEqual([])

    const { tab } = await acme.visitor()
    await tab.goto(await acme.magicLink(janeId))
    await acme.go(tab, '')
    const board = tab.getByRole('table', { name: 'Leaderboard' })
    await board.getByRole('row', { name: '1 Hidden' }).waitFor()
    await board.getByRole('row', { name: '2 You 1' }).waitFor()
    expect(await obstacles(tab)).toEqual([])

    await tab.getByRole('link', { name: 'Change it in Settings' }).click()
    await tab.getByRole('radio', { name: 'Nickname' }).check()
    await tab.getByRole('textbox', { name: 'Nickname' }).fill('Ace')
    const form = tab.locator('form', { hasText: 'Name on the leaderboard' })
    await press(form, 'Save')
    await form.getByText('Saved').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await acme.go(tab, '')
    await board.getByRole('row', { name: '2 You (Ace) 1' }).waitFor()
    await tab.getByText('Others see your nickname.').waitFor()
    acme.expectNothingForeign()
  })
})
