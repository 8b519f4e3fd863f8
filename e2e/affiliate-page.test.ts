/** Working with one affiliate: invite, copy a link, view the portal as they do, write to them, and keep notes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import {
  heading,
  linkIn,
  type PortalProgramme,
  press,
  startPortalProgramme,
} from './support/portal-programme.ts'
import { takeMail } from './support/shared.ts'

describeInBrowser('the page of an affiliate', () => {
  let acme: PortalProgramme
  let janeId: number
  beforeAll(async () => {
    acme = await startPortalProgramme()
    janeId = await acme.affiliate('jane', { name: 'Jane' })
  })
  afterAll(() => acme?.close())

  test('reaches the affiliate, and shows the portal as they see it without changing anything', async () => {
    const { tab } = acme.owner
    const page = `${acme.service.url}/dashboard/${acme.slug}/affiliates/${janeId}`
    await tab.goto(page)
    await press(tab, 'Invite')
    await press(tab.getByRole('dialog'), 'Send invitation')
    const { text } = await takeMail(acme.address('jane'), /^Acme invited you to its partner portal$/)
    const { tab: janes } = await acme.visitor()
    await janes.goto(linkIn(text))
    await press(janes, 'Sign in')
    await heading(janes, /Jane/).waitFor()

    await press(tab, 'Copy sign-in link')
    const shown = await tab.getByRole('dialog').locator('[data-shown-once]').innerText()
    expect(shown).toMatch(/\/enter\/[\w-]{43}$/)
    await press(tab.getByRole('dialog'), 'Done')

    await press(tab, 'Send message')
    await tab.getByLabel('Subject').fill('Summer')
    await tab.getByLabel('Message', { exact: true }).fill('Hi Jane')
    expect(await obstacles(tab)).toEqual([])
    await press(tab.getByRole('dialog'), 'Send message')
    expect((await takeMail(acme.address('jane'), /^Summer$/)).text).toContain('Hi Jane')

    await tab.getByLabel('New note').fill('Prefers calls')
    await press(tab, 'Add note')
    await tab.getByRole('listitem').filter({ hasText: 'Prefers calls' }).waitFor()
    expect(await obstacles(tab)).toEqual([])

    await press(tab, 'View as affiliate')
    const banner = tab.getByRole('region', { name: 'Viewing as an affiliate' })
    await banner.getByText("You're viewing the portal as Jane").waitFor()
    await tab.goto(`${acme.portal}/settings`)
    expect(await tab.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    expect(await obstacles(tab)).toEqual([])
    await press(banner, 'Exit')
    await tab.waitForURL(page)
    // Her own session goes on.
    await janes.reload()
    await heading(janes, /Jane/).waitFor()
    acme.expectNothingForeign()
  })
})
