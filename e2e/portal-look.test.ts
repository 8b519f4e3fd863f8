/** The portal in the look of the company: for every pair of eyes, on every screen, by mouse and by keyboard. */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeInBrowser, type Visitor } from './support/browser.ts'
import { COLOUR_RULES, inWords, violations } from './support/obstacles.ts'
import { isServed, sidewaysScroll, unreachableBoxes, watchProblems } from './support/page-problems.ts'
import { turnTo } from './support/pages.ts'
import { heading, type PortalProgramme, press, startPortalProgramme } from './support/portal-programme.ts'

describeInBrowser('the portal', () => {
  let acme: PortalProgramme
  let jane: Visitor

  beforeAll(async () => {
    acme = await startPortalProgramme()
    const id = await acme.affiliate('jane', { name: 'Jane' })
    jane = await acme.visitor()
    await jane.tab.goto(await acme.magicLink(id))
    await heading(jane.tab, 'Hello, Jane').waitFor()
  })
  afterAll(() => acme?.close())

  test('the keyboard reaches everything, and shows where it is', async () => {
    const { tab } = jane
    await acme.go(tab, '')
    const focused = () =>
      tab.evaluate<{ text: string; outline: string }>(
        '({ text: document.activeElement.textContent, outline: getComputedStyle(document.activeElement).outlineStyle })',
      )
    const reached: string[] = []
    for (let presses = 0; presses < 7; presses++) {
      await tab.keyboard.press('Tab')
      const { text, outline } = await focused()
      reached.push(text)
      expect([text, outline]).not.toEqual([text, 'none'])
    }
    expect(reached).toEqual([
      'Skip to content',
      'Acme',
      'Home',
      'Links',
      'Referrals',
      'Commissions',
      'Payouts',
    ])
    await tab.keyboard.press('Enter')
    await heading(tab, 'Payouts').waitFor()
    expect(await tab.title()).toBe('Payouts · Acme')
    expect(await tab.evaluate('document.activeElement.id')).toBe('content')
    await acme.go(tab, 'links')
    await tab.keyboard.press('Tab')
    expect(await tab.getByRole('link', { name: 'Skip to content' }).boundingBox()).toMatchObject({ x: 8 })
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('Tab')
    expect(await tab.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
  })

  test('a part whose file was replaced by an upgrade is shown after the page is loaded anew', async () => {
    const { tab } = jane
    await acme.go(tab, '')
    let refused = 0
    const refuseOnce = (route: Route) => (refused++ === 0 ? route.fulfill({ status: 404 }) : route.continue())
    await tab.route('**/web/assets/creatives-*.js', refuseOnce)
    const address = JSON.stringify(`${new URL(acme.portal).pathname.replace(/\/$/, '')}/links/creatives`)
    await tab.evaluate(
      `history.pushState(null, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await heading(tab, 'Creatives').waitFor()
    await tab.unroute('**/web/assets/creatives-*.js', refuseOnce)
    expect(refused).toBe(2)
  })

  describe('in the look of the company', () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><circle cx="20" cy="20" r="18"/></svg>'
    const brands = [
      {
        name: 'Acme Partners',
        colour: '#12755c',
        button: 'rgb(18, 117, 92)',
        logo: 'png',
        check: 'Good contrast',
      },
      {
        name: 'Sonne & Söhne',
        colour: '#ffe600',
        button: 'rgb(127, 115, 0)',
        logo: 'svg',
        check: 'Not enough contrast',
      },
    ] as const

    const pages = [
      ...[
        '',
        'links',
        'links/creatives',
        'referrals',
        'referrals/REFERRAL',
        'commissions',
        'payouts',
        'campaigns',
        'settings',
      ],
      ...['nothing', 'sign-in', 'join', 'enter/a-link'],
    ]
    let referralId = 0
    const address = (page: string) => `${acme.portal}/${page.replace('REFERRAL', String(referralId))}`
    /** A link from an email and a page that does not exist are loaded in full; the others are client-side navigations. */
    const isLoadedInFull = (page: string) => page === 'nothing' || page.startsWith('enter/')
    const show = (tab: Page, page: string) =>
      isLoadedInFull(page) ? acme.go(tab, page) : turnTo(tab, address(page))

    beforeAll(async () => {
      // One endless word and a fortune: what fits with these fits with anything.
      const name = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
      const id = await acme.openCampaign(name)
      await acme.client.affiliates.create({ email: acme.address('jane'), campaign_id: id })
      const convert = async (campaign_id: number, customer_ref: string, amount_minor: number) =>
        acme.client.conversions.create({
          campaign_id,
          customer_ref,
          token: 'jane',
          sale: { external_id: customer_ref, amount_minor, currency: 'USD' },
        })
      const longReference = 'a-customer-with-a-rather-long-reference-1'
      const { referral, commissions } = await convert(acme.partners, longReference, 12_345)
      referralId = referral?.id ?? 0
      await acme.client.commissions.update(commissions[0]?.id ?? 0, { status: 'approved' })
      const payout = { campaign_id: acme.partners, rail: 'manual' }
      const query = new URLSearchParams({ ...payout, campaign_id: String(acme.partners) })
      const { digest } = await acme.manage('GET', `payouts/preview?${query}`)
      const { id: payoutId } = await acme.manage('POST', 'payouts', { ...payout, digest })
      await acme.manage('POST', `payouts/${payoutId}/pay`, { expected: 1, reference: 'SEPA 1' })
      await convert(id, 'customer@example.com', 123_456_789_012)
      const picture = await acme.owner.tab.screenshot({ clip: { x: 0, y: 0, width: 728, height: 90 } })
      await acme.manage('POST', 'creatives', { kind: 'banner', name, file: picture.toString('base64') })
      await acme.manage('POST', 'creatives', { kind: 'text', name, text: `${name} {link}` })
    })

    describe.each(brands)('$name, $colour', ({ name, colour, button, logo, check }) => {
      test('set in the dashboard, seen in the portal', async () => {
        const { tab } = acme.owner
        await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/settings/portal`)
        const picture =
          logo === 'svg'
            ? Buffer.from(svg)
            : await tab.screenshot({ clip: { x: 0, y: 0, width: 80, height: 40 } })
        const type = logo === 'svg' ? 'image/svg+xml' : 'image/png'
        await tab
          .locator('input[type=file]')
          .setInputFiles({ name: `logo.${logo}`, mimeType: type, buffer: picture })
        await tab.getByText('Logo updated').waitFor()
        await tab.getByLabel('Name').fill(name)
        await tab.getByRole('textbox', { name: 'Brand colour' }).fill(colour)
        await tab.getByText(check).waitFor()
        await tab.getByLabel('Terms URL').fill(`${acme.shop.url}/terms`)
        await press(tab, 'Save')
        await tab.getByText('Portal settings saved').waitFor()

        const stranger = await acme.visitor()
        await acme.go(stranger.tab, 'join')
        await heading(stranger.tab, `Join the ${name} affiliate programme`).waitFor()
        await stranger.tab.getByRole('img', { name }).waitFor()
        expect(
          await stranger.tab.evaluate("document.querySelector('header img').naturalWidth"),
        ).toBeGreaterThan(0)
        expect(
          await stranger.tab.getByRole('link', { name: 'Terms', exact: true }).getAttribute('href'),
        ).toBe(`${acme.shop.url}/terms`)
        const shown = "getComputedStyle(document.querySelector('button[type=submit]')).backgroundColor"
        expect(await stranger.tab.evaluate(shown)).toBe(button)
      })

      test('is accessible on phone and desktop, in light and dark mode', async () => {
        const { tab } = jane
        const isFirst = colour === brands[0].colour
        const found: unknown[] = []
        await acme.go(tab, '')
        let current = tab.url()
        const problems = watchProblems(tab, () => current)
        for (const page of pages) {
          current = address(page)
          if (isFirst && !isLoadedInFull(page) && !(await isServed(current)))
            found.push([page, 'is not served'])
          await show(tab, page)
          for (const colorScheme of ['light', 'dark'] as const) {
            await tab.emulateMedia({ colorScheme })
            if (!page.startsWith('enter/'))
              await tab.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
            for (const width of [390, 1280]) {
              await tab.setViewportSize({ width, height: 844 })
              const wrong = inWords(
                await violations(tab, isFirst && colorScheme === 'light' ? undefined : COLOUR_RULES),
              )
              if (wrong.length > 0) found.push([page, colorScheme, width, wrong])
            }
          }
          for (const width of [320, 390]) {
            await tab.setViewportSize({ width, height: 844 })
            const overflow = await sidewaysScroll(tab)
            if (overflow !== 0) found.push([page, width, `scrolls sideways by ${overflow}`])
            for (const box of await unreachableBoxes(tab)) found.push([page, width, `unreachable: ${box}`])
          }
        }
        expect([found, problems]).toEqual([[], []])
      })
    })
  })

  test('sends requests to this service only, and no script fails', () => {
    acme.expectNothingForeign()
  })
})
