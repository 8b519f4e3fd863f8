/** The portal as affiliates use it: a real browser, the program itself, and a mail server that mails really arrive at. */
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, newVisitor, type Visitor } from './support/browser.ts'
import { asOwner } from './support/embedded-sql.ts'
import { COLOUR_RULES, inWords, violations } from './support/obstacles.ts'
import { pdfPages } from './support/pdf-text.ts'
import { DOMAIN, type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { until as untilWithin } from './support/until.ts'

const SOON_MS = 10_000
const until = <T>(ask: () => T | Promise<T>) => untilWithin(String(ask), SOON_MS, ask)
const day = (time: string) => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(new Date(time))
const dollars = (minor: number) => `$${(minor / 100).toFixed(2)}`

/** Browsers without windows call themselves so, and count as robots. */
const PERSON = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/143.0.0.0 Safari/537.36',
}

describe.runIf(hasBrowser)('the portal', () => {
  let acme: PortalProgramme
  let portal: string
  let jane: Visitor
  let janeId: number
  /** The first link to a page that a mail holds. */
  const linkIn = (text: string) => /https?:\/\/\S+\/(?:enter|confirm)\/[\w-]{43}/.exec(text)?.[0] as string

  const visitors: Visitor[] = []
  /** Somebody new, who may not be bothered by a script that fails nor sent to a host that is not ours. */
  async function visitor(options: Parameters<typeof newVisitor>[1] = {}): Promise<Visitor> {
    const made = await newVisitor(acme.browser, { ...PERSON, ...options })
    made.tab.setDefaultTimeout(SOON_MS)
    visitors.push(made)
    return made
  }
  const heading = (tab: Page, name: string | RegExp) => tab.getByRole('heading', { level: 1, name })
  const arrive = async (tab: Page) => {
    await tab.getByRole('heading', { level: 1 }).waitFor()
    await tab.getByLabel('Loading').waitFor({ state: 'detached' })
  }
  const go = async (tab: Page, page: string) => {
    await tab.goto(`${portal}/${page}`)
    await arrive(tab)
  }
  const wordsOf = async (tab: Page) => (await tab.locator('main').innerText()).replaceAll(/\n+/g, '\n')
  const press = (where: Page | Locator, name: string) =>
    where.getByRole('button', { name, exact: true }).click()

  beforeAll(async () => {
    acme = await startPortalProgramme()
    portal = `${acme.service.url}/portal/acme`
    const person = {
      email: 'jane@example.com',
      name: 'Jane',
      token: 'jane',
      paypal_email: 'old@paypal.example',
    }
    janeId = (await acme.client.affiliates.create({ ...person, campaign_id: 1 })).id
    await acme.client.affiliates.update(janeId, { status: 'approved' })
    jane = await visitor({ permissions: ['clipboard-read', 'clipboard-write'] })
    acme.owner.tab.setDefaultTimeout(SOON_MS)
    visitors.push(acme.owner)
  })
  afterAll(() => acme?.close())

  describe('from the link to the payout', () => {
    let referralId: number
    let holdUntil: string

    test('a link of the API opens by itself, and the first load is light', async () => {
      const scripts: Promise<number>[] = []
      jane.tab.on('requestfinished', request => {
        if (request.resourceType() === 'script')
          scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
      })
      await jane.tab.goto(await acme.magicLink(janeId))
      await jane.tab.waitForURL(portal)
      await heading(jane.tab, 'Hello, Jane').waitFor()
      await jane.tab.getByText('Nothing earned yet').waitFor()
      jane.tab.removeAllListeners('requestfinished')
      const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
      console.info(`first load of the portal: ${(bytes / 1000).toFixed(1)} kB of compressed script`)
      expect(bytes).toBeGreaterThan(10_000)
      expect(bytes).toBeLessThan(120_000)
    })

    test('the link that is copied leads a visitor to the shop, and what they buy is hers', async () => {
      await go(jane.tab, 'links')
      await press(jane.tab, 'Copy the link')
      await jane.tab.getByText('Copied').waitFor()
      const link = await jane.tab.evaluate<string>('navigator.clipboard.readText()')
      expect(link).toBe(`${acme.service.url}/r/acme/jane/partners`)
      const shopper = await visitor()
      await shopper.tab.goto(link)
      const landed = new URL(shopper.tab.url())
      expect(landed.origin).toBe(acme.shop.url)
      const { referral, commissions } = await acme.client.conversions.create({
        campaign_id: 1,
        customer_ref: 'buyer@example.com',
        click_id: Number(landed.searchParams.get('click_id')),
        sale: { external_id: 'order-1', amount_minor: 12_345, currency: 'USD' },
      })
      const later = {
        customer_ref: 'buyer@example.com',
        external_id: 'order-2',
        amount_minor: 99,
        currency: 'USD',
      }
      await acme.client.sales.create(later)
      expect(commissions.map(({ amount_minor }) => amount_minor)).toEqual([1852])
      referralId = referral?.id ?? 0
      holdUntil = commissions[0]?.hold_until ?? ''
    })

    test('she sees the referral with its reason, and until when the money is held', async () => {
      const { tab } = jane
      await go(tab, 'referrals')
      await tab.getByRole('link', { name: /b•••@e•••/ }).click()
      await tab.waitForURL(`${portal}/referrals/${referralId}`)
      await tab.getByRole('heading', { name: 'Why is this yours?' }).waitFor()
      await tab.getByText('Your link was followed').waitFor()
      await tab.getByText('Counted').waitFor()
      await tab
        .getByText(`Held until ${day(holdUntil)}`)
        .first()
        .waitFor()
      await go(tab, '')
      const home = await wordsOf(tab)
      expect(home).toContain(`Earned so far\n${dollars(1867)}`)
      expect(home).toContain(`Pending\n${dollars(1867)}`)
      expect(home).toContain(`${dollars(1867)} until ${day(holdUntil)} (2 commissions)`)
    })

    test('approved, paid out, and on the statement to the cent', async () => {
      const { tab } = jane
      for (const { id } of (await acme.client.commissions.list({ status: 'pending' }).page()).data)
        await acme.client.commissions.update(id, { status: 'approved' })
      await go(tab, '')
      expect(await wordsOf(tab)).toContain(`Ready to be paid\n${dollars(1867)}`)
      const { digest } = await acme.manage('GET', 'payouts/preview?campaign_id=1&rail=manual')
      const { id } = await acme.manage('POST', 'payouts', { campaign_id: 1, rail: 'manual', digest })
      await acme.manage('POST', `payouts/${id}/pay`, { reference: 'SEPA 1' })
      await until(async () => (await acme.client.payouts.get(id)).status === 'paid')
      await acme.post.take('jane@example.com', /^18\.67 USD is on its way to you$/)
      const first = await acme.post.take('jane@example.com', /^Your first commission$/)
      expect(first.text).toContain('18.52 USD')
      const third = {
        customer_ref: 'buyer@example.com',
        external_id: 'order-3',
        amount_minor: 5_000,
        currency: 'USD',
      }
      await acme.client.sales.create(third)

      await go(tab, 'payouts')
      const row = tab.getByRole('listitem').filter({ hasText: dollars(1867) })
      await row.getByText('Paid', { exact: true }).waitFor()
      const saving = tab.waitForEvent('download')
      await tab.getByRole('link', { name: 'CSV' }).click()
      const saved = await saving
      expect(saved.suggestedFilename()).toBe('statement.csv')
      const lines = readFileSync(await saved.path(), 'utf8')
        .trimEnd()
        .split('\r\n')
      const cells = lines.map(line => line.split(','))
      const [head] = cells
      const column = (name: string) => cells.slice(1).map(line => line[head?.indexOf(name) as number])
      expect(column('type')).toEqual(['earned', 'earned', 'payout', 'earned'])
      expect(column('customer')).toEqual(['b•••@e•••', 'b•••@e•••', '', 'b•••@e•••'])
      expect(column('payout_amount')).toEqual(['18.52', '0.15', '-18.67', '7.50'])
      expect(column('balance')).toEqual(['18.52', '18.67', '0.00', '7.50'])

      const pdf = tab.getByRole('link', { name: 'PDF' })
      const answer = await jane.context.request.get(
        new URL((await pdf.getAttribute('href')) as string, portal).href,
      )
      expect(answer.headers()['content-type']).toBe('application/pdf')
      const pieces = pdfPages(await answer.body()).flatMap(page => page.split('\n'))
      expect(pieces.filter(piece => /^-?[\d.]+ USD$/.test(piece))).toEqual(
        ['18.52', '18.52', '0.15', '18.67', '-18.67', '0.00', '7.50', '7.50', '7.50'].map(
          sum => `${sum} USD`,
        ),
      )
      expect(pieces).toContain('jane@example.com')
    })
  })

  describe('getting in', () => {
    test('who joins proves the address by pressing a button, waits, and is told when they are approved', async () => {
      const { tab } = await visitor()
      await go(tab, 'join')
      await tab.getByLabel('Resellers').check()
      await tab.getByLabel('Your name').fill('Kim')
      await tab.getByLabel('Email address').fill('kim@example.com')
      await press(tab, 'Join')
      await heading(tab, 'One more step').waitFor()
      const link = linkIn((await acme.post.take('kim@example.com', /^Confirm your address for Acme$/)).text)
      const kim = async () =>
        (await acme.client.affiliates.list().page()).data.find(
          ({ email }: { email: string }) => email === 'kim@example.com',
        )
      // Programs that look through mails follow links, and run scripts: neither may join in somebody's name.
      for (let look = 0; look < 3; look++) expect((await fetch(link)).status).toBe(200)
      await tab.goto(link)
      await tab.waitForLoadState('networkidle')
      expect([tab.url(), await kim()]).toEqual([link, undefined])

      await press(tab, 'Confirm and join')
      await heading(tab, 'Your application is being looked at').waitFor()
      await tab.getByText('Resellers').waitFor()
      await acme.client.affiliates.update((await kim())?.id ?? 0, { status: 'approved' })
      const told = await acme.post.take('kim@example.com', /^Acme has approved you$/)
      expect(told.text).toContain(`${portal}/links`)
      await acme.post.take('kim@example.com', /^Welcome to Acme$/)
      await go(tab, '')
      await tab.getByRole('link', { name: 'Get your link' }).click()
      await tab.getByRole('textbox', { name: 'Resellers' }).waitFor()

      await tab.goto(link)
      await heading(tab, 'This link does not work any more').waitFor()
      await tab.getByRole('link', { name: 'Get a new link' }).waitFor()
    })

    test('a link by mail signs in, once its button is pressed', async () => {
      const { tab } = await visitor()
      await go(tab, '')
      await heading(tab, 'Sign in').waitFor()
      await tab.getByLabel('Email address').fill('jane@example.com')
      await press(tab, 'Send me a link')
      await heading(tab, 'Look into your mail').waitFor()
      await tab.goto(linkIn((await acme.post.take('jane@example.com', /^Sign in to Acme$/)).text))
      await press(tab, 'Sign in')
      await heading(tab, 'Hello, Jane').waitFor()
      await go(tab, 'settings')
      await press(tab, 'Sign out')
      await heading(tab, 'Sign in').waitFor()
      await go(tab, 'payouts')
      await heading(tab, 'Sign in').waitFor()
    })

    test('without scripts a link of the API has a button', async () => {
      const { tab, context } = await visitor({ javaScriptEnabled: false })
      await tab.goto(await acme.magicLink(janeId))
      await press(tab, 'Sign in')
      await tab.waitForURL(portal)
      expect((await context.request.get(`${portal}/api/me`)).status()).toBe(200)
    })
  })

  test('who changes where the money goes has only just signed in, and both addresses are told', async () => {
    const { tab, context } = jane
    await asOwner(acme.dataDir, "UPDATE portal_sessions SET created_at = now() - interval '16 minutes'")
    const { csrf_token } = await (await context.request.get(`${portal}/api/me`)).json()
    const change = await context.request.post(`${portal}/api/me/paypal`, {
      headers: { origin: acme.service.url, 'tributary-csrf': csrf_token },
      data: { paypal_email: 'thief@example.com' },
    })
    expect(change.status()).toBe(403)
    await go(tab, 'settings')
    await press(tab, 'Change')
    await tab.getByText('Sign in again first').waitFor()
    await press(tab, 'Send me a link')
    await tab.getByText('come back here with the link in it').waitFor()
    await tab.goto(linkIn((await acme.post.take('jane@example.com', /^Sign in to Acme$/)).text))
    await press(tab, 'Sign in')
    await heading(tab, 'Hello, Jane').waitFor()
    await go(tab, 'settings')
    await press(tab, 'Change')
    await tab.getByRole('textbox', { name: 'PayPal address' }).fill('new@paypal.example')
    await tab.getByRole('textbox', { name: 'PayPal address' }).press('Enter')
    await tab.getByText('new@paypal.example', { exact: true }).waitFor()
    for (const address of ['old@paypal.example', 'jane@example.com']) {
      const mail = await acme.post.take(address, /^The address of your payouts was changed$/)
      expect(mail.text).toContain('new@paypal.example')
    }
    expect((await acme.client.affiliates.get(janeId)).paypal_email).toBe('new@paypal.example')
  })

  test('the keyboard reaches everything, and shows where it is', async () => {
    const { tab } = jane
    await go(tab, '')
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
      'Skip to the content',
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
    await go(tab, 'links')
    await tab.keyboard.press('Tab')
    expect(await tab.getByRole('link', { name: 'Skip to the content' }).boundingBox()).toMatchObject({ x: 8 })
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('Tab')
    expect(await tab.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
  })

  describe('in the look of the company', () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><circle cx="20" cy="20" r="18"/></svg>'
    const brands = [
      {
        name: 'Acme Partners',
        colour: '#1d4ed8',
        button: 'rgb(29, 78, 216)',
        logo: 'png',
        check: 'Easy to read.',
      },
      {
        name: 'Sonne & Söhne',
        colour: '#ffe600',
        button: 'rgb(127, 115, 0)',
        logo: 'svg',
        check: 'Too light',
      },
    ] as const

    const pages = [
      ...['', 'links', 'referrals', 'referrals/1', 'commissions', 'payouts', 'campaigns', 'settings'],
      ...['nothing', 'sign-in', 'join', 'enter/a-link'],
    ]
    /** From page to page as a click does it; what a link in a mail leads to is a page of its own. */
    async function show(tab: Page, page: string): Promise<void> {
      if (page.startsWith('enter/')) return go(tab, page)
      const place = JSON.stringify(`/portal/acme/${page}`)
      await tab.evaluate(
        `history.pushState(null, '', ${place}); dispatchEvent(new PopStateEvent('popstate'))`,
      )
      await arrive(tab)
    }

    beforeAll(async () => {
      // One endless word and a fortune: what fits with these fits with anything.
      const name = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
      const { id } = await acme.openCampaign(name)
      await acme.client.affiliates.create({ email: 'jane@example.com', campaign_id: id })
      const sale = { external_id: 'fortune', amount_minor: 123_456_789_012, currency: 'USD' }
      await acme.client.conversions.create({
        campaign_id: id,
        customer_ref: 'somebody@example.com',
        token: 'jane',
        sale,
      })
    })

    describe.each(brands)('$name, $colour', ({ name, colour, button, logo, check }) => {
      test('set in the dashboard, seen in the portal', async () => {
        const { tab } = acme.owner
        await tab.goto(`${acme.service.url}/dashboard/acme/settings/portal`)
        const picture =
          logo === 'svg'
            ? Buffer.from(svg)
            : await tab.screenshot({ clip: { x: 0, y: 0, width: 80, height: 40 } })
        const type = logo === 'svg' ? 'image/svg+xml' : 'image/png'
        await tab
          .locator('input[type=file]')
          .setInputFiles({ name: `logo.${logo}`, mimeType: type, buffer: picture })
        await tab.getByText('The logo is set.').waitFor()
        await tab.getByLabel('Name').fill(name)
        await tab.getByRole('textbox', { name: 'Colour' }).fill(colour)
        await tab.getByText(check).waitFor()
        await tab.getByLabel('Link to your terms').fill(`${acme.shop.url}/terms`)
        await press(tab, 'Save')
        await tab.getByText('Saved.').waitFor()

        const stranger = await visitor()
        await go(stranger.tab, 'join')
        await heading(stranger.tab, `Become a partner of ${name}`).waitFor()
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

      test('keeps nobody out, on a phone and on a desk, by day and by night', {
        timeout: 90_000,
      }, async () => {
        const { tab } = jane
        const isFirst = colour === brands[0].colour
        const found: unknown[] = []
        await go(tab, '')
        for (const page of pages) {
          await show(tab, page)
          for (const colorScheme of ['light', 'dark'] as const) {
            await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
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
            const root = 'document.documentElement'
            const overflow = await tab.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)
            if (overflow !== 0) found.push([page, width, `scrolls sideways by ${overflow}`])
          }
        }
        expect(found).toEqual([])
      })
    })
  })

  test('a page of an origin that is allowed shows it in a frame, any other does not', async () => {
    const { tab } = acme.owner
    await tab.goto(`${acme.service.url}/dashboard/acme/settings/portal`)
    await tab.getByLabel('Pages that may show the portal in a frame').fill(acme.shop.url)
    await press(tab, 'Save')
    await tab.getByText('Saved.').waitFor()
    const link = await acme.magicLink(janeId)
    const guest = await visitor()
    await guest.tab.goto(`${acme.elsewhere.url}/?frame=${encodeURIComponent(link)}`)
    await until(() => guest.tab.frames()[1]?.url().startsWith('chrome-error:'))
    await guest.tab.goto(`${acme.shop.url}/?frame=${encodeURIComponent(link)}`)
    await guest.tab.frameLocator('iframe').getByRole('heading', { name: 'Hello, Jane' }).waitFor()
  })

  test('on a domain of the company’s own: pages, sign-in and links', async () => {
    const { tab } = acme.owner
    await tab.goto(`${acme.service.url}/dashboard/acme/settings/portal`)
    await tab.getByLabel('Domain of your own').fill(DOMAIN)
    await press(tab, 'Save')
    await tab.getByText('Saved.').waitFor()
    const home = `http://${DOMAIN}:${new URL(acme.service.url).port}`
    await tab.getByRole('link', { name: home }).waitFor()

    const guest = await visitor()
    await until(
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
    await guest.tab.getByRole('button', { name: 'Copy the link' }).first().click()
    await guest.tab.getByText('Copied').waitFor()
    await guest.tab.goto(shared)
    expect(guest.tab.url()).toMatch(new RegExp(`^${acme.shop.url}/\\?via=jane&click_id=\\d+$`))
    await guest.tab.goto(`${home}/dashboard`)
    await heading(guest.tab, 'There is no such page').waitFor()
  })

  test('asked nobody but ourselves, and no script of it failed', () => {
    const own = [acme.service.url, acme.shop.url, acme.elsewhere.url, `http://${DOMAIN}:`]
    for (const { requests, errors } of visitors) {
      expect(
        requests.filter(url => !/^(data|blob):/.test(url) && !own.some(each => url.startsWith(each))),
      ).toEqual([])
      expect(errors).toEqual([])
    }
    expect(jane.requests.filter(url => !url.startsWith(acme.service.url))).toEqual([])
  })
})
