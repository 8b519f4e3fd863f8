/** Every kind of email goes through a real SMTP server, with the company's sender and branding, and all of its links work. */
import type { Campaign } from '@tributary/contract'
import type { Email } from 'postal-mime'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { keepWithoutServer, sendMails } from '../../src/mail/send-mails.ts'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { changeLogo, changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { Person } from '../dashboard/person.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { create, earnFor, markFailed, markPaid, owed } from '../payouts/ground.ts'
import { PortalBrowser } from './affiliate.ts'
import { emails, write } from './emails.ts'
import { useSmtpServer } from './smtp-server.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const smtp = useSmtpServer()
const COMPANY = 'Ångström & "Söhne", GmbH'
const COLOUR = '#c2410c'
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'
let campaign: Campaign
beforeAll(async () => {
  const { id } = scene.account
  await changePortal(scene.database.db, id, scene.app.services.baseUrl, { name: COMPANY, colour: COLOUR })
  await changeLogo(scene.database.db, id, Buffer.from(LOGO).toString('base64'))
  campaign = await openCampaign(scene.database, id, {
    name: 'Café <b>',
    visibility: 'public',
    open_enrollment: true,
  })
})
beforeEach(() => {
  smtp.received.length = 0
  smtp.recipients.length = 0
})
const browser = () => new PortalBrowser(scene.app, scene.account.slug)

/** Renders and sends due emails, and returns those received at an address. */
async function delivered(to: string): Promise<Email[]> {
  const settings = readSettings({
    NODE_ENV: 'test',
    TRIBUTARY_SMTP_URL: smtp.url,
    TRIBUTARY_MAIL_FROM: 'Tributary <mail@programme.example>',
  })
  await write(scene)
  await sendMails(scene.database.db, scene.app.services.secrets, settings)
  return smtp.received.filter(mail => mail.to?.some(({ address }) => address === to))
}

const newAddress = () => `${unique('jane')}@example.com`
const statusOf = (id: number, status: string) => scene.api.patch(`/affiliates/${id}`, { status })
const causes: Record<string, () => Promise<string>> = {
  sign_in_link: async () => {
    const { email } = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    await browser().ask('requestSignInLink', { body: { email } })
    return email
  },
  confirm_join: async () => {
    const email = newAddress()
    await browser().ask('requestToJoin', { body: { email, campaign_id: campaign.id } })
    return email
  },
  joined: async () => {
    const further = await openCampaign(scene.database, scene.account.id, {
      visibility: 'public',
      open_enrollment: true,
    })
    const { id, email } = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    await (await PortalBrowser.signIn(scene, id)).ask('joinCampaign', { id: further.id })
    return email
  },
  approved: async () => {
    const { id, email } = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    await statusOf(id, 'approved')
    return email
  },
  rejected: async () => {
    const { id, email } = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    await statusOf(id, 'rejected')
    return email
  },
  first_commission: async () => {
    const affiliate = await approvedAffiliate(scene, campaign.id)
    await earnFor(scene, campaign, affiliate, 10_000)
    return affiliate.email
  },
  payout_sent: async () => {
    const own = await openCampaign(scene.database, scene.account.id)
    const { email } = await owed(scene, own, [5000])
    await markPaid(scene, (await create(scene, own)).id)
    return email
  },
  payout_failed: async () => {
    const own = await openCampaign(scene.database, scene.account.id)
    const { email } = await owed(scene, own, [5000])
    await markFailed(scene, (await create(scene, own)).id, undefined, 'Closed & gone <forever>')
    return email
  },
  paypal_changed: async () => {
    const { id, email } = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    await (await PortalBrowser.signIn(scene, id)).ask('changePayPal', {
      body: { paypal_email: newAddress() },
    })
    return email
  },
  email_changed: async () => {
    const { id, email } = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    await scene.api.patch(`/affiliates/${id}`, { email: newAddress() })
    return email
  },
}

it.each(Object.entries(causes))('%s', async (_kind, cause) => {
  const [mail, ...others] = await delivered(await cause())
  expect(others).toEqual([])
  expect(mail?.from).toMatchObject({ name: COMPANY, address: 'mail@programme.example' })
  expect(mail?.subject).toMatch(/\S/)
  for (const part of [mail?.html, mail?.text]) expect(part).toMatch(/\S/)
  expect(mail?.html).not.toMatch(/<b>|<forever>/)
  // The company's own branding, without a trace of Tributary.
  expect(mail?.html).toContain('alt="Ångström &amp; &quot;Söhne&quot;, GmbH"')
  expect(`${mail?.html}${mail?.text}${mail?.subject}`).not.toMatch(/tributary/i)
  const addresses = [...`${mail?.html} ${mail?.text}`.matchAll(/https:\/\/programme\.example[^\s"<]*/g)]
  const paths = new Set(addresses.map(([address]) => address.slice('https://programme.example'.length)))
  expect([...paths].some(path => path.includes('/logo/'))).toBe(true)
  for (const path of paths) expect([path, (await browser().get(path)).status]).toEqual([path, 200])
  if (paths.size > 1) expect(mail?.html).toContain(`background:${COLOUR}`)
})

it('without an SMTP server they are kept for the company to read', async () => {
  const email = await causes.approved?.()
  await write(scene)
  await keepWithoutServer(scene.database.db, readSettings({ NODE_ENV: 'test' }))
  const owner = await Person.join(scene.app, scene.account.id, 'admin')
  const [mail] = (await owner.call('listMails', { query: { limit: 1 } })).body.data
  expect(mail).toMatchObject({ kind: 'approved', to_address: email, status: 'kept' })
  expect((await owner.call('getMail', { id: mail.id })).body.html_body).toContain('/logo/')
})

const SECRET_LINK = /\/(enter|confirm)\/[\w-]{43}/
const secretLinks = ['sign_in_link', 'confirm_join'] as const

it.each(secretLinks)(
  'once it has been sent, the secret in the link of %s is in no table and no page',
  async kind => {
    const email = (await causes[kind]?.()) as string
    await write(scene)
    const [waiting] = await emails(scene, email)
    for (const part of [waiting?.text_body, waiting?.html_body]) expect(part).toMatch(SECRET_LINK)
    const [mail] = await delivered(email)
    expect(mail?.text).toMatch(SECRET_LINK)
    const [kept] = await emails(scene, email)
    for (const part of [kept?.text_body, kept?.html_body]) expect(part).toMatch(/\/(enter|confirm)\/…/)
    expect(`${kept?.text_body}${kept?.html_body}`).not.toMatch(SECRET_LINK)
  },
)

it('reading a kept email with its link is audited', async () => {
  const email = (await causes.sign_in_link?.()) as string
  await write(scene)
  await keepWithoutServer(scene.database.db, readSettings({ NODE_ENV: 'test' }))
  const admin = await Person.join(scene.app, scene.account.id, 'admin')
  const [mail] = await emails(scene, email)
  expect((await admin.call('getMail', { id: mail?.id as number })).body.text_body).toMatch(SECRET_LINK)
  const [line] = await listAudit(scene.database.db, scene.account.id, { limit: 1 })
  expect(line).toMatchObject({
    actor_name: admin.email,
    action: 'mail.read',
    subject_id: mail?.id,
    details: { kind: 'sign_in_link', to: email },
  })
})

it('an address that contains another one is sent to no other address', async () => {
  const victim = newAddress()
  for (const email of [`x:${victim}`, `(x)${victim}`])
    await browser().ask('requestToJoin', { body: { email, campaign_id: campaign.id } })
  expect(await delivered(victim)).toEqual([])
  const [name] = victim.split('@')
  expect(smtp.recipients.toSorted()).toEqual([`"(x)${name}"@example.com`, `"x:${name}"@example.com`])
})

it('a name cannot inject a header', async () => {
  const { email } = await buildAffiliate(scene.database, scene.account.id, campaign.id)
  await changePortal(scene.database.db, scene.account.id, scene.app.services.baseUrl, {
    name: 'Acme\r\nBcc: victim@example.com',
  })
  await browser().ask('requestSignInLink', { body: { email } })
  const [mail] = await delivered(email)
  expect(mail?.headers.map(({ key }) => key)).not.toContain('bcc')
  expect(mail?.subject).toMatch(/^Sign in to Acme/)
})
