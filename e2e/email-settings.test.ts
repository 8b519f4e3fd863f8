/** Email set up in the dashboard: what pages say without it, the SMTP server and its errors, changed texts, and the environment's precedence. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { type MailServer, startMailServer } from './support/mail-server.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import { press } from './support/portal-programme.ts'
import { type Env, must } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { soon } from './support/until.ts'

const LOGIN = { user: 'acme-mailer', password: 'hunter2-of-acme' }
/** What a page says that has sent an email. */
const SENT = /inbox|sent (you|an|a|it)\b|email sent/i

describeInBrowser('the email settings', () => {
  let mails: MailServer
  let others: MailServer
  let env: Env
  let programme: Programme
  let service: Service
  let tab: Page

  const page = (path: string) => `${service.url}/dashboard/${programme.slug}/${path}`
  const textOf = (where: Page) => where.locator('body').innerText()

  async function signIn(): Promise<void> {
    tab = (await newVisitor()).tab
    const { email, password } = programme.owner
    await tab.context().request.post(`${service.url}/dashboard/api/session`, {
      headers: { origin: service.url },
      data: { email, password },
    })
    await tab.goto(page('settings/mail'))
    await loaded(tab)
  }

  async function approve(name: string): Promise<string> {
    const { affiliates } = api(service.url, programme.key)
    const email = `${name.toLowerCase()}@example.com`
    const { id } = await affiliates.create({ email, name, campaign_id: programme.campaignId })
    await affiliates.update(id, { status: 'approved' })
    return email
  }

  beforeAll(async () => {
    ;[mails, others] = await Promise.all([startMailServer(LOGIN), startMailServer()])
    const prepared = await preparedDataDir()
    programme = prepared.programme
    env = { TRIBUTARY_DATA_DIR: prepared.dataDir, TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
    service = await serve(env)
    await signIn()
  })
  afterAll(async () => {
    await mails?.close()
    await others?.close()
  })

  test('without a server, no page says that an email was sent, but what to do instead', async () => {
    const open = ['--name', 'Open', '--visibility', 'public', '--open-enrollment']
    await must(['campaign', 'create', '--account', String(programme.accountId), ...open], env)
    const guest = (await newVisitor()).tab
    const portal = `${service.url}/portal/${programme.slug}`
    for (const [address, instead] of [
      [`${portal}/sign-in`, "Sign-in links can't be emailed at the moment."],
      [`${portal}/join`, "You can't join online at the moment"],
    ] as const) {
      await guest.goto(address)
      await guest.getByText(instead).waitFor()
      expect(await textOf(guest)).not.toMatch(SENT)
    }
    await guest.goto(`${service.url}/dashboard/forgot`)
    await guest.getByLabel('Email').fill(programme.owner.email)
    await press(guest, 'Send link')
    await guest.getByText('tributary user reset --email').waitFor()
    expect(await textOf(guest)).not.toMatch(SENT)

    await turnTo(tab, page('settings/team'))
    await press(tab, 'Invite teammate')
    const inviting = tab.getByRole('dialog')
    await inviting.getByLabel('Email').fill('kim@example.com')
    await press(inviting, 'Create link')
    await inviting.getByText("Email isn't set up, so nothing was sent.").waitFor()
    expect(await textOf(tab)).not.toMatch(SENT)
  })

  test('an SMTP server is set up, its errors are shown, and its password never again', async () => {
    await turnTo(tab, page('settings/mail'))
    await tab.getByText("Email isn't set up").waitFor()
    const field = (name: string) => tab.getByLabel(name, { exact: true })
    /** Saving empties the password field. */
    const save = async () => {
      await press(tab, 'Save SMTP server')
      await soon(async () => (await field('Password').inputValue()) === '')
    }
    await field('Host').fill('127.0.0.1')
    await tab.getByRole('combobox', { name: 'Encryption' }).click()
    await tab.getByRole('option', { name: /^None/ }).click()
    // Nothing listens on port 1.
    await field('Port').fill('1')
    await field('Username (optional)').fill(LOGIN.user)
    await field('Password').fill(LOGIN.password)
    await field('From address').fill('partners@acme.example')
    await press(tab, 'Save SMTP server')
    await tab.getByText('Emails are sent from partners@acme.example.').waitFor()
    await press(tab, 'Send test email')
    await tab
      .getByRole('alert')
      .getByText(/^The email was not sent\. .*ECONNREFUSED/)
      .waitFor()
    expect(await obstacles(tab)).toEqual([])

    await field('Port').fill(new URL(mails.url).port)
    await field('Password').fill('a wrong one')
    await save()
    await press(tab, 'Send test email')
    await tab
      .getByRole('alert')
      .getByText(/^The email was not sent\. Invalid login/)
      .waitFor()

    await field('Password').fill(LOGIN.password)
    await save()
    await press(tab, 'Send test email')
    await tab.getByText(`Test email sent to ${programme.owner.email}`).waitFor()
    await mails.take(programme.owner.email, /^Test email from Tributary$/)

    const stored = `${service.url}/dashboard/api/accounts/${programme.accountId}/mail_server`
    const shown = await (await tab.context().request.get(stored)).text()
    expect([shown.includes(LOGIN.user), shown.includes(LOGIN.password)]).toEqual([true, false])
    await tab.reload()
    await field('Host').waitFor()
    expect(await Promise.all(['Host', 'Password'].map(name => field(name).inputValue()))).toEqual([
      '127.0.0.1',
      '',
    ])
    await tab.getByText('Leave empty to keep the current one.').waitFor()
  })

  test('a changed text is used in the next email, until it is reset', async () => {
    const edit = (kind: string) => press(tab, `Edit email: ${kind}`)
    const dialog = tab.getByRole('dialog')
    await expect.poll(() => tab.getByRole('button', { name: /^Edit email: / }).count()).toBe(9)
    await edit('Affiliate approved')
    await dialog.getByText('{{affiliate}}').waitFor()
    await dialog.getByLabel('Subject').fill('You are in, {{affiliate}}')
    await dialog.getByLabel('Text').fill('Welcome aboard {{unknown}}')
    await press(dialog, 'Preview')
    await dialog.getByRole('alert').getByText('unknown variable {{unknown}}').waitFor()
    await dialog.getByLabel('Text').fill('{{affiliate}}, welcome aboard.')
    await press(dialog, 'Preview')
    await dialog.frameLocator('iframe').getByText('Jane Doe, welcome aboard.').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await press(dialog, 'Save email text')
    await tab.getByText('Changed', { exact: true }).waitFor()
    const { text } = await mails.take(await approve('Ada'), /^You are in, Ada$/)
    expect(text).toContain('Ada, welcome aboard.')

    await edit('Affiliate approved')
    await press(dialog, 'Reset to default')
    await tab.getByText('Changed', { exact: true }).waitFor({ state: 'detached' })
    await mails.take(await approve('Ben'), /approved your application$/)
  })

  test('digests are previewed and turned off, for everyone or for oneself', async () => {
    const flip = async (label: string) => {
      const named = tab.getByRole('switch', { name: label })
      const wasOn = await named.isChecked()
      await named.click()
      await soon(async () => (await named.isEnabled()) && (await named.isChecked()) !== wasOn)
      return !wasOn
    }
    const dialog = tab.getByRole('dialog')
    for (const [label, content] of [
      ['Weekly digest for your team', 'Performance'],
      ['Monthly digest for affiliates', 'Payable now'],
    ] as const) {
      await press(tab, `Preview: ${label}`)
      await dialog.frameLocator('iframe').getByText(content).waitFor()
      expect(await obstacles(tab)).toEqual([])
      await press(dialog, 'Close')
      await dialog.waitFor({ state: 'detached' })
    }
    await turnTo(tab, page('settings/profile'))
    expect(await flip('Weekly digest')).toBe(false)
    await turnTo(tab, page('settings/mail'))
    expect(await flip('Weekly digest for your team')).toBe(false)
    await turnTo(tab, page('settings/profile'))
    await tab.getByText('Your account has turned it off for everyone').waitFor()
    await turnTo(tab, page('settings/mail'))
  })

  test("the environment's server wins, and the page says which one sends", async () => {
    await service.stop()
    const from = 'Operator <operator@acme.example>'
    service = await serve({ ...env, TRIBUTARY_SMTP_URL: others.url, TRIBUTARY_MAIL_FROM: from })
    await signIn()
    await tab.getByText('through the server in TRIBUTARY_SMTP_URL').waitFor()
    expect(await tab.getByLabel('Host', { exact: true }).count()).toBe(0)
    await press(tab, 'Send test email')
    await others.take(programme.owner.email, /^Test email from Tributary$/)
    await others.take(await approve('Cleo'), /approved your application$/)
  })
})
