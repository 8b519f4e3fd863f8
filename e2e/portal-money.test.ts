/** The portal where it is about money: a real browser, the program itself, and a mail server that mails really arrive at. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pdfPages } from '../testing/pdf-text.ts'
import { describeInBrowser, textOf, type Visitor } from './support/browser.ts'
import { asOwner } from './support/embedded-sql.ts'
import { obstacles } from './support/obstacles.ts'
import { turnTo } from './support/pages.ts'
import {
  heading,
  linkIn,
  type PortalProgramme,
  press,
  startPortalProgramme,
} from './support/portal-programme.ts'
import { takeMail } from './support/shared.ts'
import { soon } from './support/until.ts'

const day = (time: string) => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(new Date(time))
const dollars = (minor: number) => `$${(minor / 100).toFixed(2)}`
const wordsOf = async (tab: Page) => (await tab.locator('main').innerText()).replaceAll(/\n+/g, '\n')

/** Presses a button that confirms for a moment that it copied. */
const copies = (tab: Page, name: string) => Promise.all([tab.getByText('Copied').waitFor(), press(tab, name)])

/** Shares a link: by links to where people share, and with the system's sheet where the browser has one. */
async function shares(tab: Page, link: string) {
  const button = tab.getByRole('button', { name: 'Share your Partners link' })
  await tab.evaluate('Object.defineProperty(navigator, "share", { value: undefined, configurable: true })')
  await button.click()
  const href = await tab.getByRole('link', { name: 'WhatsApp' }).getAttribute('href')
  expect(new URL(href ?? '').searchParams.get('text')).toBe(`Take a look at Acme ${link}`)
  await button.click()
  await tab.evaluate(
    'Object.defineProperty(navigator, "share", { value: async data => { window.shared = data } })',
  )
  await button.click()
  const shared = { title: 'Acme', text: 'Take a look at Acme', url: link }
  await expect.poll(() => tab.evaluate('window.shared')).toEqual(shared)
  expect(await tab.getByRole('link', { name: 'WhatsApp' }).count()).toBe(0)
}

describeInBrowser('the portal', () => {
  let acme: PortalProgramme
  let jane: Visitor
  let janeId: number

  beforeAll(async () => {
    acme = await startPortalProgramme()
    janeId = await acme.affiliate('jane', { name: 'Jane', paypal_email: acme.address('old-paypal') })
    jane = await acme.visitor({ permissions: ['clipboard-read', 'clipboard-write'] })
  })
  afterAll(() => acme?.close())

  describe('from the link to the payout', () => {
    let referralId: number
    let holdUntil: string

    test('a link from the API signs in automatically, and the first load is light', async () => {
      const scripts: Promise<number>[] = []
      jane.tab.on('requestfinished', request => {
        if (request.resourceType() === 'script')
          scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
      })
      await jane.tab.goto(await acme.magicLink(janeId))
      await jane.tab.waitForURL(acme.portal)
      await heading(jane.tab, 'Hello, Jane').waitFor()
      await jane.tab.getByText('No commissions yet').waitFor()
      jane.tab.removeAllListeners('requestfinished')
      const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
      console.info(`first load of the portal: ${(bytes / 1000).toFixed(1)} kB of compressed script`)
      expect(bytes).toBeGreaterThan(10_000)
      expect(bytes).toBeLessThan(120_000)
    })

    test('the link that is copied leads a visitor to the shop, and what they buy is hers', async () => {
      await copies(jane.tab, 'Copy link')
      const link = await jane.tab.evaluate<string>('navigator.clipboard.readText()')
      expect(link).toBe(`${acme.service.url}/r/${acme.slug}/jane/partners`)
      await shares(jane.tab, link)
      const shopper = await acme.visitor()
      await shopper.tab.goto(link)
      const landed = new URL(shopper.tab.url())
      expect(landed.origin).toBe(acme.shop.url)
      const { referral, commissions } = await acme.client.conversions.create({
        campaign_id: acme.partners,
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

    test('a banner and a text that the company adds come with her link', async () => {
      const { tab } = acme.owner
      await tab.goto(`${acme.service.url}/dashboard/${acme.slug}/creatives`)
      const picture = await tab.screenshot({ clip: { x: 0, y: 0, width: 300, height: 100 } })
      for (const kind of ['Banner', 'Text']) {
        await tab.getByRole('button', { name: 'Add creative' }).first().click()
        const dialog = tab.getByRole('dialog')
        await dialog.getByText(kind, { exact: true }).click()
        if (kind === 'Text') await dialog.getByRole('textbox', { name: 'Text' }).fill('Try it: {link}')
        // Called a text file and sent as one: the bytes decide.
        else
          await dialog
            .locator('input[type=file]')
            .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: picture })
        await dialog.getByRole('textbox', { name: 'Name' }).fill(`Spring ${kind}`)
        await press(dialog, 'Add creative')
        await dialog.waitFor({ state: 'hidden' })
      }
      await press(tab, 'Edit Spring Text')
      const editing = tab.getByRole('dialog', { name: 'Edit creative' })
      await editing.getByRole('textbox', { name: 'Text' }).fill('Try it now: {link}')
      await press(editing, 'Save creative')
      await tab.getByText('Try it now: {link}').waitFor()
      await press(tab, 'Actions for Spring Text')
      await tab.getByRole('menuitem', { name: 'Move later' }).waitFor()
      expect(await obstacles(tab)).toEqual([])
      await tab.getByRole('menuitem', { name: 'Move later' }).click()
      await soon(async () => (await tab.getByRole('article').first().innerText()).includes('Spring Banner'))
      expect(await obstacles(tab)).toEqual([])
      await jane.tab.getByRole('link', { name: 'Banners, texts and documents' }).click()
      const link = `${acme.service.url}/r/${acme.slug}/jane/partners`
      const copied = async (name: string) => {
        await copies(jane.tab, name)
        return jane.tab.evaluate<string>('navigator.clipboard.readText()')
      }
      expect(await copied('Copy text: Spring Text')).toBe(`Try it now: ${link}`)
      await jane.tab.getByText('Copied').waitFor({ state: 'hidden' })
      const html = await copied('Copy embed code: Spring Banner')
      expect(html).toMatch(
        new RegExp(`^<a href="${link}"><img src="[^"]+" alt="Spring Banner" width="300" height="100"></a>$`),
      )
      const source = /src="([^"]+)"/.exec(html)?.[1] ?? ''
      expect(Buffer.from(await (await fetch(source)).arrayBuffer()).equals(picture)).toBe(true)
    })

    test('she sees the referral with its reason, and until when the money is held', async () => {
      const { tab } = jane
      await turnTo(tab, `${acme.portal}/referrals`)
      await tab.getByText('Approved', { exact: true }).waitFor()
      await tab.getByRole('link', { name: /b•••@e•••/ }).click()
      await tab.waitForURL(`${acme.portal}/referrals/${referralId}`)
      await tab.getByRole('heading', { name: 'Why is this credited to you?' }).waitFor()
      await tab.getByText('Click on your link').waitFor()
      await tab.getByText('Credited', { exact: true }).waitFor()
      await tab
        .getByText(`On hold, clears on ${day(holdUntil)}`)
        .first()
        .waitFor()
      await acme.go(tab, '')
      const home = await wordsOf(tab)
      expect(home).toContain('1 click and 1 conversion in the last 30 days')
      expect(home).toContain(`Total earned\n${dollars(1867)}`)
      expect(home).toContain(`Pending\n${dollars(1867)}`)
      expect(home).toContain(`${dollars(1867)} clears on ${day(holdUntil)} (in 30 days, 2 commissions)`)
      // The axis of the chart ends at the one click.
      expect(await tab.locator('.chart-values').innerText()).toMatch(/^1\s+0$/)
      await tab.getByText('Commissions', { exact: true }).last().click()
      await soon(
        async () => /^\$20\s+\$10\s+\$0$/.test(await tab.locator('.chart-values').innerText()) || undefined,
      )
    })

    test('approved, paid out, and on the statement to the cent', async () => {
      const { tab } = jane
      for (const { id } of (await acme.client.commissions.list({ status: 'pending' }).page()).data)
        await acme.client.commissions.update(id, { status: 'approved' })
      await acme.go(tab, '')
      expect(await wordsOf(tab)).toContain(`Payable\n${dollars(1867)}`)
      const { digest } = await acme.manage('GET', `payouts/preview?campaign_id=${acme.partners}&rail=manual`)
      const { id } = await acme.manage('POST', 'payouts', {
        campaign_id: acme.partners,
        rail: 'manual',
        digest,
      })
      await acme.manage('POST', `payouts/${id}/pay`, { expected: 1, reference: 'SEPA 1' })
      await soon(async () => (await acme.client.payouts.get(id)).status === 'paid')
      await takeMail(acme.address('jane'), /^18\.67 USD is on its way to you$/)
      const first = await takeMail(acme.address('jane'), /^You earned your first commission$/)
      expect(first.text).toContain('18.52 USD')
      const third = {
        customer_ref: 'buyer@example.com',
        external_id: 'order-3',
        amount_minor: 5_000,
        currency: 'USD',
      }
      await acme.client.sales.create(third)

      await turnTo(tab, `${acme.portal}/payouts`)
      const row = tab.getByRole('listitem').filter({ hasText: dollars(1867) })
      await row.getByText('Paid', { exact: true }).waitFor()
      const saving = tab.waitForEvent('download')
      await tab.getByRole('link', { name: 'Download CSV' }).click()
      const saved = await saving
      expect(saved.suggestedFilename()).toBe('statement.csv')
      const lines = (await textOf(saved)).trimEnd().split('\r\n')
      const cells = lines.map(line => line.split(','))
      const [head] = cells
      const column = (name: string) => cells.slice(1).map(line => line[head?.indexOf(name) as number])
      expect(column('type')).toEqual(['earned', 'earned', 'payout', 'earned'])
      expect(column('customer')).toEqual(['b•••@e•••', 'b•••@e•••', '', 'b•••@e•••'])
      expect(column('payout_amount')).toEqual(['18.52', '0.15', '-18.67', '7.50'])
      expect(column('balance')).toEqual(['18.52', '18.67', '0.00', '7.50'])

      const pdf = tab.getByRole('link', { name: 'Download PDF' })
      const answer = await jane.context.request.get(
        new URL((await pdf.getAttribute('href')) as string, acme.portal).href,
      )
      expect(answer.headers()['content-type']).toBe('application/pdf')
      const pieces = pdfPages(await answer.body()).flatMap(page => page.split('\n'))
      expect(pieces.filter(piece => /^-?[\d.]+ USD$/.test(piece))).toEqual(
        ['18.52', '18.52', '0.15', '18.67', '-18.67', '0.00', '7.50', '7.50', '7.50'].map(
          sum => `${sum} USD`,
        ),
      )
      expect(pieces).toContain(acme.address('jane'))
    })
  })

  test('changing the payout address takes a recent sign-in, and notifies both addresses', async () => {
    const { tab, context } = jane
    await asOwner(
      acme.service.dataDir,
      `UPDATE portal_sessions SET created_at = now() - interval '16 minutes' WHERE account_id = ${acme.accountId}`,
    )
    const { csrf_token } = await (await context.request.get(`${acme.portal}/api/me`)).json()
    const change = await context.request.post(`${acme.portal}/api/me/paypal`, {
      headers: { origin: acme.service.url, 'tributary-csrf': csrf_token },
      data: { paypal_email: 'thief@example.com' },
    })
    expect(change.status()).toBe(403)
    await acme.go(tab, 'settings')
    await press(tab, 'Change PayPal address')
    await tab.getByText('Sign in again to continue').waitFor()
    await press(tab, 'Send sign-in link')
    await tab.getByText('then return to this page').waitFor()
    await tab.goto(linkIn((await takeMail(acme.address('jane'), /^Sign in to Acme$/)).text))
    await press(tab, 'Sign in')
    await heading(tab, 'Hello, Jane').waitFor()
    await acme.go(tab, 'settings')
    await press(tab, 'Change PayPal address')
    await tab.getByRole('textbox', { name: 'PayPal address' }).fill(acme.address('new-paypal'))
    await tab.getByRole('textbox', { name: 'PayPal address' }).press('Enter')
    await tab.getByText(acme.address('new-paypal'), { exact: true }).waitFor()
    for (const address of [acme.address('old-paypal'), acme.address('jane')]) {
      const mail = await takeMail(address, /^Your PayPal address was changed$/)
      expect(mail.text).toContain(acme.address('new-paypal'))
    }
    expect((await acme.client.affiliates.get(janeId)).paypal_email).toBe(acme.address('new-paypal'))
  })

  test('sends requests to this service only, and no script fails', () => {
    acme.expectNothingForeign()
    expect(jane.requests.filter(url => !url.startsWith(acme.service.url))).toEqual([])
  })
})
