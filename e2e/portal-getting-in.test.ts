/** Getting into the portal: by joining, by a link in a mail, by a link of the API, with scripts and without. */
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
import { soon } from './support/until.ts'

describeInBrowser('getting into the portal', () => {
  let acme: PortalProgramme
  let janeId: number

  beforeAll(async () => {
    acme = await startPortalProgramme()
    janeId = await acme.affiliate('jane', { name: 'Jane' })
  })
  afterAll(() => acme?.close())

  test('an applicant confirms the address with a button, waits for review, and gets an email on approval', async () => {
    const home = `${acme.service.url}/dashboard/${acme.slug}`
    const office = acme.owner.tab
    await office.goto(`${home}/campaigns/${acme.resellers}`)
    await press(office, 'Add question')
    await office.getByRole('textbox', { name: 'Question' }).fill('Your site')
    await office.getByRole('combobox', { name: 'Answer' }).click()
    await office.getByRole('option', { name: 'URL' }).click()
    await office.getByRole('radio', { name: 'Text', exact: true }).check()
    await office.getByLabel('Text of the terms').fill('Be nice.')
    await press(office, 'Update join form')
    await office.getByText('Join form updated').waitFor()
    await acme.manage('PATCH', `campaigns/${acme.resellers}`, { forbids_paid_search: true })

    const { tab } = await acme.visitor()
    await acme.go(tab, 'join')
    const forbidden = tab.getByText("Ads in search engines aren't allowed.")
    expect(await forbidden.count()).toBe(0)
    await tab.getByLabel('Resellers').check()
    await forbidden.waitFor()
    await tab.getByLabel('Your name').fill('Kim')
    await tab.getByLabel('Email address').fill(acme.address('kim'))
    await tab.getByLabel('Your site').fill('https://kim.example')
    await tab.getByLabel('I accept the terms').check()
    // The terms change meanwhile: they are shown and accepted again, and the rest stays filled in.
    await office.getByLabel('Text of the terms').fill('Be nicer.')
    await press(office, 'Update join form')
    await office.getByText('Version 2, from').waitFor()
    await press(tab, 'Join')
    await tab.getByText('The questions or terms have changed.').waitFor()
    await tab.getByText('Be nicer.').waitFor()
    expect(await tab.getByLabel('I accept the terms').isChecked()).toBe(false)
    await tab.getByLabel('I accept the terms').check()
    expect(await tab.getByLabel('Your site').inputValue()).toBe('https://kim.example')
    await press(tab, 'Join')
    await heading(tab, 'Check your inbox').waitFor()
    const link = linkIn((await takeMail(acme.address('kim'), /^Confirm your email address for Acme$/)).text)
    const kim = async () =>
      (await acme.client.affiliates.list().page()).data.find(
        ({ email }: { email: string }) => email === acme.address('kim'),
      )
    // Email scanners follow links and run scripts: neither may confirm on behalf of the recipient.
    for (let look = 0; look < 3; look++) expect((await fetch(link)).status).toBe(200)
    await tab.goto(link)
    await tab.waitForLoadState('networkidle')
    expect([tab.url(), await kim()]).toEqual([link, undefined])
    await tab.getByRole('region', { name: 'Your answers' }).getByText('https://kim.example').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('region', { name: 'Terms' }).getByText('Be nicer.').waitFor()
    await tab.getByText('By joining, you accept version 2 of the terms').waitFor()

    await press(tab, 'Confirm and join')
    await heading(tab, 'Your application is in review').waitFor()
    await tab.getByText('Resellers').waitFor()
    await acme.client.affiliates.create({ email: acme.address('lee'), campaign_id: acme.partners })
    await office.goto(`${home}/affiliates?status=pending`)
    // Several at once: the answers are opened one by one.
    await office.getByRole('checkbox', { name: 'Select all rows' }).check()
    await office.getByText('2 selected').waitFor()
    await office.getByRole('button', { name: 'Approve', exact: true }).first().click()
    const several = office.getByRole('dialog', { name: 'Approve 2 affiliates' })
    await several.getByText('Answers of Kim').click()
    await several.getByRole('link', { name: 'https://kim.example' }).waitFor()
    expect(await obstacles(office)).toEqual([])
    await press(several, 'Cancel')
    const row = office.getByRole('row').filter({ hasText: acme.address('kim') })
    await press(row, 'Approve')
    const dialog = office.getByRole('dialog')
    await dialog.getByRole('link', { name: 'https://kim.example' }).waitFor()
    await dialog.getByText('Accepted version 2 of the terms').waitFor()
    await dialog.getByRole('button', { name: 'Approve' }).click()
    const approval = await takeMail(acme.address('kim'), /^Acme approved your application$/)
    expect(approval.text).toContain(`${acme.portal}/links`)
    await takeMail(acme.address('kim'), /^Welcome to Acme$/)
    await acme.go(tab, '')
    await tab.getByRole('textbox', { name: 'Resellers' }).waitFor()

    await tab.goto(link)
    await heading(tab, 'This link is no longer valid').waitFor()
    await tab.getByRole('link', { name: 'Get a new link' }).waitFor()
  })

  test('a link by mail signs in, once its button is pressed', async () => {
    const { tab } = await acme.visitor()
    await acme.go(tab, '')
    await heading(tab, 'Sign in').waitFor()
    await tab.getByLabel('Email address').fill(acme.address('jane'))
    await press(tab, 'Send sign-in link')
    await heading(tab, 'Check your inbox').waitFor()
    await tab.goto(linkIn((await takeMail(acme.address('jane'), /^Sign in to Acme$/)).text))
    await press(tab, 'Sign in')
    await heading(tab, 'Hello, Jane').waitFor()
    await acme.go(tab, 'settings')
    await press(tab, 'Sign out')
    await heading(tab, 'Sign in').waitFor()
    await acme.go(tab, 'payouts')
    await heading(tab, 'Sign in').waitFor()
  })

  test('without scripts a link of the API has a button', async () => {
    const { tab, context } = await acme.visitor({ javaScriptEnabled: false })
    await tab.goto(await acme.magicLink(janeId))
    await press(tab, 'Sign in')
    await tab.waitForURL(acme.portal)
    expect((await context.request.get(`${acme.portal}/api/me`)).status()).toBe(200)
  })

  test('a page of an origin that is allowed shows it in a frame, any other does not', async () => {
    const { tab } = acme.owner
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/settings/portal`)
    await tab.getByLabel('Allowed embed origins').fill(acme.shop.url)
    await press(tab, 'Save')
    await tab.getByText('Portal settings saved').waitFor()
    const link = await acme.magicLink(janeId)
    const guest = await acme.visitor()
    await guest.tab.goto(`${acme.elsewhere.url}/?frame=${encodeURIComponent(link)}`)
    await soon(() => guest.tab.frames()[1]?.url().startsWith('chrome-error:'))
    await guest.tab.goto(`${acme.shop.url}/?frame=${encodeURIComponent(link)}`)
    await guest.tab.frameLocator('iframe').getByRole('heading', { name: 'Hello, Jane' }).waitFor()
  })

  test('on a domain of the company’s own: pages, sign-in and links', async () => {
    const { tab } = acme.owner
    await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/settings/portal`)
    await tab.getByLabel('Custom domain').fill(acme.domain)
    await press(tab, 'Save')
    await tab.getByText('Portal settings saved').waitFor()
    const home = `http://${acme.domain}:${new URL(acme.service.url).port}`
    await tab.getByRole('link', { name: home }).waitFor()

    const guest = await acme.visitor()
    await soon(
      async () => (await guest.tab.goto(`${home}/`))?.status() === 200 && guest.tab.url() === `${home}/`,
    )
    await heading(guest.tab, 'Sign in').waitFor()
    const link = await acme.magicLink(janeId)
    expect(link.startsWith(`${home}/sign-in/`)).toBe(true)
    await guest.tab.goto(link)
    await guest.tab.waitForURL(`${home}/`)
    await heading(guest.tab, 'Hello, Jane').waitFor()
    await guest.tab.getByRole('link', { name: 'Links', exact: true }).click()
    const field = guest.tab.getByRole('textbox', { name: 'Partners' })
    const shared = await field.inputValue()
    expect(shared).toBe(`${home}/r/jane/partners`)
    // Without TLS there is no clipboard for scripts; what is selected is copied all the same.
    await Promise.all([
      guest.tab.getByText('Copied').waitFor(),
      guest.tab.getByRole('button', { name: 'Copy link' }).first().click(),
    ])
    await guest.tab.goto(shared)
    expect(guest.tab.url()).toMatch(new RegExp(`^${acme.shop.url}/\\?via=jane&click_id=\\d+$`))
    await guest.tab.goto(`${home}/dashboard`)
    await heading(guest.tab, 'Page not found').waitFor()
  })

  test('sends requests to this service only, and no script fails', () => {
    acme.expectNothingForeign()
  })
})
