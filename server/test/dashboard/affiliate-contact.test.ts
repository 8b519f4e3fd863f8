/** Reaching one affiliate from the dashboard: invitations, sign-in links, messages; and notes, which only the team reads. */
import { type PortalRoute, type PortalRouteId, portalRoutes } from '@tributary/contract/portal'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildAccount, buildAffiliate, unique } from '../factories.ts'
import { startApp, useScene } from '../harness.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { emails, linkIn } from '../portal/emails.ts'
import { Person } from './person.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true', TRIBUTARY_SMTP_URL: 'smtp://127.0.0.1:9' })
let admin: Person
let viewer: Person
let affiliate: { id: number; email: string }
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
})
beforeEach(async () => {
  const email = `${unique('jane')}@example.com`
  affiliate = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, { email })
})

const approve = (status = 'approved') =>
  admin.call('updateAffiliate', { id: affiliate.id, body: { status } as { status: 'approved' } })
const audited = async (action: string) =>
  (await admin.call('listAuditLog', { query: { action, subject_id: affiliate.id } })).body.data
const sentTo = async (kind: string) =>
  (await emails(scene, affiliate.email)).filter(each => each.kind === kind)

describe('an invitation', () => {
  it('is an email with a sign-in link for a week', async () => {
    await approve()
    const { status, body } = await admin.call('inviteAffiliate', { id: affiliate.id })
    expect([status, body]).toEqual([200, { to: affiliate.email }])
    const [email] = await sentTo('invitation')
    expect(email?.text_body).toContain('expires in 7 days')
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    const path = linkIn(email as { text_body: string })
    // A page with a button: a mail scanner must not use up the link.
    expect((await browser.get(path)).text).not.toContain('<script')
    expect((await browser.post(path)).status).toBe(303)
    expect((await browser.me()).body).toMatchObject({ id: affiliate.id, view: null })
    expect(await audited('affiliate.invite')).toMatchObject([
      { actor_name: admin.email, details: { to: affiliate.email } },
    ])
  })

  it('is sent once when two people click at the same time, and again later', async () => {
    const other = await Person.join(scene.app, scene.account.id, 'owner')
    const both = await Promise.all(
      [admin, other].map(each => each.call('inviteAffiliate', { id: affiliate.id })),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await sentTo('invitation')).toHaveLength(1)
    await scene.database.owner.query(
      "UPDATE mails SET created_at = now() - interval '2 minutes' WHERE to_address = $1",
      [affiliate.email],
    )
    expect((await admin.call('inviteAffiliate', { id: affiliate.id })).status).toBe(200)
  })

  it('is refused for a rejected affiliate', async () => {
    await approve('rejected')
    const { status, body } = await admin.call('inviteAffiliate', { id: affiliate.id })
    expect([status, body.error.code]).toEqual([409, 'invalid_state'])
    expect(await sentTo('invitation')).toEqual([])
  })

  it('is void after a change of the email address', async () => {
    await admin.call('inviteAffiliate', { id: affiliate.id })
    const [email] = await sentTo('invitation')
    await admin.call('updateAffiliate', { id: affiliate.id, body: { email: `${unique('new')}@example.com` } })
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    expect((await browser.post(linkIn(email as { text_body: string }))).status).toBe(410)
  })
})

it('without an SMTP server, nothing is queued and the reason is given', async () => {
  const app = await startApp(scene.database)
  try {
    const person = await Person.join(app, scene.account.id, 'admin')
    for (const call of ['inviteAffiliate', 'messageAffiliate'] as const) {
      const body = call === 'inviteAffiliate' ? {} : { subject: 'Hello', text: 'Hi' }
      const answer = await person.call(call, { id: affiliate.id, body })
      expect([answer.status, answer.body.error.message]).toEqual([
        409,
        'Email is not set up, so nothing can be sent. Add an SMTP server under Settings → Email.',
      ])
    }
    expect(await emails(scene, affiliate.email)).toEqual([])
  } finally {
    await app.close()
  }
})

describe('a sign-in link', () => {
  it('signs in once from a page with a button, and is in the audit log without its secret', async () => {
    await approve()
    const { status, body } = await admin.call('createSignInLink', { id: affiliate.id })
    expect([status, body.expires_in]).toEqual([200, 86_400])
    const path = new URL(body.url).pathname
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    expect((await browser.get(path)).text).not.toContain('<script')
    expect((await browser.post(path)).status).toBe(303)
    expect((await browser.post(path)).status).toBe(410)
    const [entry] = await audited('affiliate.magic_link')
    expect([entry.actor_name, JSON.stringify(entry).includes(path.split('/').at(-1) as string)]).toEqual([
      admin.email,
      false,
    ])
  })

  it('is refused for a rejected affiliate', async () => {
    await approve('rejected')
    expect((await admin.call('createSignInLink', { id: affiliate.id })).status).toBe(409)
  })
})

describe('a message', () => {
  const message = { subject: 'Summer campaign', text: 'Hi Jane,\n\nnew banners\nare <ready>.' }

  it('is sent in the name of the company, and replies go to its author', async () => {
    const { status, body } = await admin.call('messageAffiliate', { id: affiliate.id, body: message })
    expect([status, body]).toEqual([200, { to: affiliate.email }])
    const { rows } = await scene.database.owner.query('SELECT * FROM mails WHERE to_address = $1', [
      affiliate.email,
    ])
    expect(rows).toMatchObject([{ kind: 'message', subject: message.subject, reply_to: admin.email }])
    expect(rows[0].text_body).toContain('Hi Jane,\n\nnew banners\nare <ready>.')
    expect(rows[0].html_body).toContain('new banners<br>are &lt;ready&gt;.')
    const [entry] = await audited('affiliate.message')
    expect(entry.details).toEqual({ to: affiliate.email, subject: message.subject, text: '…' })
  })

  it('is not sent twice when a request is repeated', async () => {
    const send = (body = message) => admin.call('messageAffiliate', { id: affiliate.id, body })
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409, 409])
    expect((await send({ ...message, text: 'Another one' })).status).toBe(200)
    expect(await sentTo('message')).toHaveLength(2)
  })

  it('has a subject of one line and a text', async () => {
    for (const body of [
      { ...message, subject: 'a\r\nBcc: x@example.com' },
      { ...message, subject: '' },
      { ...message, text: '' },
    ])
      expect((await admin.call('messageAffiliate', { id: affiliate.id, body })).status).toBe(422)
  })
})

describe('notes', () => {
  const add = (text: string, person = admin) => person.call('addNote', { id: affiliate.id, body: { text } })
  const list = async (person = admin) => (await person.call('listNotes', { id: affiliate.id })).body.data

  it('are added, listed newest first and deleted, each in the audit log without its text', async () => {
    const first = (await add('Prefers calls\non Mondays')).body
    const second = (await add('Second')).body
    expect(await list()).toEqual([
      { id: second.id, author: admin.email, text: 'Second', created_at: expect.any(String) },
      {
        id: first.id,
        author: admin.email,
        text: 'Prefers calls\non Mondays',
        created_at: expect.any(String),
      },
    ])
    expect(await list(viewer)).toHaveLength(2)
    const remove = () => admin.call('deleteNote', { id: affiliate.id, body: { note_id: first.id } })
    expect((await Promise.all([remove(), remove()])).map(({ status }) => status).toSorted()).toEqual([
      200, 404,
    ])
    expect(await list()).toHaveLength(1)
    expect((await audited('affiliate.add_note')).at(-1)?.details).toEqual({ note_id: first.id, text: '…' })
    expect((await audited('affiliate.delete_note'))[0]?.details).toEqual({ note_id: first.id })
  })

  it('belong to one affiliate of one account', async () => {
    const { id } = (await add('Ours')).body
    const other = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    const wrong = await admin.call('deleteNote', { id: other.id, body: { note_id: id } })
    const stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
    const foreign = [
      await stranger.call('listNotes', { id: affiliate.id }),
      await stranger.call('addNote', { id: affiliate.id, body: { text: 'Theirs' } }),
      await stranger.call('deleteNote', { id: affiliate.id, body: { note_id: id } }),
    ]
    expect([wrong, ...foreign].map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(await list()).toHaveLength(1)
  })

  it('and messages that are blank are refused', async () => {
    const { status, body } = await add(' \n ')
    expect([status, body.error.message]).toEqual([422, 'text must not be blank.'])
    const message = { subject: 'News', text: ' \n ' }
    expect((await admin.call('messageAffiliate', { id: affiliate.id, body: message })).status).toBe(422)
  })

  it('are never shown to the affiliate, in no page, file or API object', async () => {
    await approve()
    const mark = unique('secret-note')
    await add(mark)
    const browser = await PortalBrowser.signIn(scene, affiliate.id)
    for (const [id, [method, path, caller]] of Object.entries<PortalRoute>(portalRoutes))
      if (caller === 'affiliate' && method === 'GET' && !path.includes('{id}'))
        expect([id, (await browser.call(id as PortalRouteId)).text.includes(mark)]).toEqual([id, false])
    const statement = await admin.call('downloadStatement', { id: affiliate.id })
    const api = await scene.api.get(`/affiliates/${affiliate.id}`)
    const exported = await admin.call('exportAffiliates', { query: {} })
    for (const { text } of [statement, api, exported]) expect(text).not.toContain(mark)
    expect(JSON.stringify(await emails(scene, affiliate.email))).not.toContain(mark)
  })
})
