/** Changed texts of emails: used in the next email, with its values as plain text, and never in the notices of changed addresses. */
import { type MailTemplate, type TemplateKind, templateKinds } from '@tributary/contract/dashboard'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Person } from '../dashboard/person.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { create, markFailed, markPaid, owe, owed } from '../payouts/ground.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { type Email, emails, write } from '../portal/emails.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true', TRIBUTARY_SMTP_URL: 'smtp://127.0.0.1:9' })
let owner: Person
beforeAll(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
})
beforeEach(async () => {
  await scene.database.owner.query('DELETE FROM mail_templates')
})

const set = (kind: TemplateKind, subject: string, body: string, dry_run = false) =>
  owner.call('setMailTemplate', { body: { kind, subject, body, dry_run } })
const list = async (): Promise<MailTemplate[]> => (await owner.call('listMailTemplates')).body.data
const found = async (kind: TemplateKind) => (await list()).find(each => each.kind === kind)
const newAddress = () => `${unique('jane')}@example.com`
const last = async (to: string) => {
  await write(scene)
  return (await emails(scene, to)).at(-1) as Email
}
async function approved(name = 'Jane <b>Doe</b>') {
  const body = { email: newAddress(), campaign_id: scene.place.campaign_id, name }
  const { id } = (await owner.call('createAffiliate', { body })).body
  await owner.call('updateAffiliate', { id, body: { status: 'approved' } })
  return last(body.email)
}

describe('a changed text', () => {
  it('is sent with its values, escaped, the branding and the button; and the default again after a reset', async () => {
    const before = await approved()
    await set('approved', 'Welcome, {{affiliate}}!', '{{ company }} is happy.\n\nSee you & yours.')
    const email = await approved()
    expect(email.subject).toBe('Welcome, Jane <b>Doe</b>!')
    expect(email.text_body).toMatch(/ is happy\.\n\nSee you & yours\.\n\n.*https?:/s)
    expect(email.html_body).toContain('See you &amp; yours.')
    expect(email.html_body).not.toContain('<b>Doe')
    expect(email.html_body).toContain('Get your link')
    expect((await found('approved'))?.changed_at).not.toBeNull()
    await owner.call('resetMailTemplate', { body: { kind: 'approved' } })
    expect((await approved()).subject).toBe(before.subject)
    expect(await found('approved')).toMatchObject({ changed_at: null })
  })

  it('of an invitation keeps the link', async () => {
    await set('invitation', 'Join us, {{affiliate}}', 'Hello from {{company}}')
    const email = newAddress()
    const body = { email, name: 'Jo', campaign_id: scene.place.campaign_id, approve: true, invite: true }
    await owner.call('createAffiliate', { body })
    const sent = await last(email)
    expect(sent.subject).toBe('Join us, Jo')
    expect(sent.text_body).toMatch(/^Hello from .*\/enter\/[\w-]{43}/s)
  })

  it('of an invitation or a welcome is only for the status that the default is about', async () => {
    await set('invitation', 'Own invitation', 'You are approved.')
    await set('joined', 'Own welcome', 'You are pending.')
    const campaign = await openCampaign(scene.database, scene.account.id, {
      visibility: 'public',
      open_enrollment: true,
    })
    const pending = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    const approvedOne = await approvedAffiliate(scene, scene.place.campaign_id)
    const subjects = async ({ id, email }: { id: number; email: string }) => {
      await owner.call('inviteAffiliate', { id })
      const invitation = await last(email)
      await (await PortalBrowser.signIn(scene, id)).ask('joinCampaign', { id: campaign.id })
      return [invitation.subject, (await last(email)).subject]
    }
    expect(await subjects(pending)).toEqual([expect.stringContaining('invited you'), 'Own welcome'])
    expect(await subjects(approvedOne)).toEqual(['Own invitation', expect.stringMatching(/^Welcome to /)])
  })

  it('of a payout that was saved as it is reads like the default, with the address or the reason', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id, { minimum_payout_minor: 0 })
    const texts = async () => {
      const paid = await owed(scene, campaign, [1234], { paypal_email: 'paid@pay.example' })
      await markPaid(scene, (await create(scene, campaign)).id)
      const failed = await owed(scene, campaign, [1234])
      await markFailed(scene, (await create(scene, campaign)).id)
      const written = [await last(paid.email), await last(failed.email)].map(({ text_body }) => text_body)
      await owe(scene, campaign, failed, -1234)
      return written
    }
    const before = await texts()
    expect(before).toEqual([expect.stringContaining('12.34 USD'), expect.stringContaining('Account closed')])
    for (const kind of ['payout_sent', 'payout_failed'] as const) {
      const { subject, body } = (await found(kind)) as MailTemplate
      await set(kind, subject, body)
    }
    expect(await texts()).toEqual(before)
  })

  it('whose subject has no value keeps the default subject', async () => {
    await set('rejected', ' {{reason}} ', 'Sorry.')
    const { id, email } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    await owner.call('updateAffiliate', { id, body: { status: 'rejected' } })
    const { subject, text_body } = await last(email)
    expect([subject, text_body]).toEqual([
      expect.stringMatching(/^Your application to /),
      expect.stringMatching(/^Sorry\./),
    ])
  })

  it('of a payout has the amount and what is known about the payment', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id, { minimum_payout_minor: 0 })
    await set('payout_sent', '{{amount}}', 'Sent.\n\nTo {{address}}.')
    await set('payout_failed', 'Failed: {{amount}}', 'Because: {{reason}}')
    const jane = await owed(scene, campaign, [1234])
    await markPaid(scene, (await create(scene, campaign)).id)
    expect(await last(jane.email)).toMatchObject({ subject: '12.34 USD' })
    const john = await owed(scene, campaign, [5000])
    await markFailed(scene, (await create(scene, campaign)).id)
    const failed = await last(john.email)
    expect([failed.subject, failed.text_body]).toEqual([
      'Failed: 50.00 USD',
      expect.stringContaining('Because: Account closed'),
    ])
  })
})

describe('a text is refused', () => {
  it('with a variable that the email does not have', async () => {
    for (const [subject, body] of [
      ['{{amount}}', 'x'],
      ['x', '{{constructor}}'],
      ['x', '{{}}'],
    ] as const) {
      const { status, body: answer } = await set('approved', subject, body)
      expect([status, answer.error.message]).toEqual([422, expect.stringContaining('unknown variable')])
    }
    expect((await set('approved', 'a\nb', 'x')).status).toBe(422)
    expect((await set('approved', '', 'x')).status).toBe(422)
    expect((await set('approved', 'x', 'x'.repeat(5001))).status).toBe(422)
  })

  it('if it is blank', async () => {
    for (const [field, subject, body] of [
      ['subject', ' \u00a0 ', 'x'],
      ['body', 'x', ' \n\t\n '],
    ] as const) {
      const { status, body: answer } = await set('approved', subject, body)
      expect([status, answer.error?.message]).toEqual([422, `${field} must not be blank.`])
    }
  })

  it('for the notices of changed addresses', async () => {
    for (const kind of ['paypal_changed', 'email_changed'])
      expect((await set(kind as TemplateKind, 'x', 'x')).status).toBe(422)
  })

  it('by those who may not change settings, and it is of one account', async () => {
    for (const role of ['finance', 'viewer'] as const) {
      const person = await Person.join(scene.app, scene.account.id, role)
      const body = { kind: 'approved', subject: 'x', body: 'x', dry_run: false } as const
      expect((await person.call('setMailTemplate', { body })).status).toBe(403)
      expect((await person.call('resetMailTemplate', { body: { kind: 'approved' } })).status).toBe(403)
    }
  })
})

it('a preview shows the email with samples, and changes and audits nothing', async () => {
  for (const { kind, subject, body } of await list()) {
    const { status, body: shown } = await set(kind, subject, body, true)
    expect([kind, status]).toEqual([kind, 200])
    expect(`${shown.subject}${shown.text}`).not.toMatch(/[{}]/)
    expect(shown.html).toContain('<!doctype html>')
  }
  expect((await list()).every(({ changed_at }) => changed_at === null)).toBe(true)
  const { data } = (await owner.call('listAuditLog', { query: { action: 'mail_template.set' } })).body
  const before = data.length
  await set('approved', 'x', 'y', true)
  const after = (await owner.call('listAuditLog', { query: { action: 'mail_template.set' } })).body.data
  expect(after).toHaveLength(before)
})

it('every text that can be changed has a default with known variables only', async () => {
  expect((await list()).map(({ kind }) => kind)).toEqual(templateKinds)
  for (const each of await list()) expect(each.default).toEqual({ subject: each.subject, body: each.body })
})
