/** Protects the account's settings: keys that die when revoked, secrets that are never shown again, and a team that keeps an owner. */
import type { Invitation, Member } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { writeMail } from '../../src/mail/write-mail.ts'
import { setRate } from '../../src/money/fx/set-rate.ts'
import { payPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { checks } from '../../src/runtime/installation/checks.ts'
import { TestClient } from '../client.ts'
import { buildAccount, unique } from '../factories.ts'
import { startApp, TEST_SECRET_KEY, useOwnScene } from '../harness.ts'
import { undone } from '../payouts/ground.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
let owner: Person
let admin: Person
let viewer: Person
let stranger: Person
beforeAll(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
})

const lastAudit = async () => (await listAudit(scene.database.db, scene.account.id, { limit: 1 }))[0]

describe('general', () => {
  it('shows the account and renames it', async () => {
    expect((await viewer.call('getAccount')).body).toEqual({
      id: scene.account.id,
      name: scene.account.slug,
      slug: scene.account.slug,
      time_zone: 'UTC',
      site_url: null,
      reporting_currency: null,
      mail_from: null,
    })
    const renamed = await admin.call('updateAccount', { body: { name: 'Acme & Söhne' } })
    expect(renamed.body).toMatchObject({ name: 'Acme & Söhne', slug: scene.account.slug })
    expect(await lastAudit()).toMatchObject({
      action: 'account.update',
      subject_id: scene.account.id,
      details: { name: 'Acme & Söhne' },
    })
    for (const body of [{ name: '' }, { name: 'x'.repeat(256) }, { slug: 'acme' }, {}])
      expect((await admin.call('updateAccount', { body })).status).toBe(422)
    expect((await stranger.call('getAccount')).body.name).not.toContain('Acme')
  })

  it('sets the reporting currency, records which one it replaces, and removes it', async () => {
    const set = (reporting_currency: string | null) =>
      admin.call('updateAccount', { body: { reporting_currency } })
    expect((await set('EUR')).body.reporting_currency).toBe('EUR')
    expect((await lastAudit())?.details).toEqual({
      reporting_currency: 'EUR',
      reporting_currency_before: null,
    })
    for (const none of ['eur', 'QQQ', 'EURO', '']) expect((await set(none)).status).toBe(422)
    expect((await viewer.call('updateAccount', { body: { reporting_currency: 'USD' } })).status).toBe(403)
    expect((await set(null)).body.reporting_currency).toBeNull()
  })

  it.each([
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['America/Indianapolis', 'America/Indiana/Indianapolis'],
    ['Europe/Kiev', 'Europe/Kyiv'],
  ])('stores %s, as many browsers call it, under its current name', async (time_zone, stored) => {
    const saved = await admin.call('updateAccount', { body: { time_zone } })
    expect(saved.body).toMatchObject({ time_zone: stored })
    const logged = { time_zone: stored, time_zone_before: 'UTC' }
    expect((await lastAudit())?.details).toEqual(logged)
    // The same zone again changes nothing.
    await admin.call('updateAccount', { body: { time_zone } })
    expect((await lastAudit())?.details).not.toHaveProperty('time_zone_before')
    await admin.call('updateAccount', { body: { time_zone: 'UTC' } })
  })

  it('with a time zone that PostgreSQL no longer has is found by the doctor', async () => {
    const secrets = new SecretBox(TEST_SECRET_KEY)
    const { settings } = scene.app.services
    const found = await undone(scene.database, async tx => {
      await tx.many(sql`UPDATE accounts SET time_zone = 'Mars/Olympus' WHERE id = ${scene.account.id}`)
      return checks['time zones']?.(tx, secrets, settings)
    })
    expect(found).toEqual([
      `account ${scene.account.id} has the time zone Mars/Olympus, which this PostgreSQL does not have; run tributary account update`,
    ])
    expect(await checks['time zones']?.(scene.database.db, secrets, settings)).toEqual([])
  })

  it('sets the time zone, and records which one it replaces', async () => {
    const saved = await admin.call('updateAccount', { body: { time_zone: 'Europe/Berlin' } })
    expect(saved.body).toMatchObject({ time_zone: 'Europe/Berlin', slug: scene.account.slug })
    expect(await lastAudit()).toMatchObject({
      action: 'account.update',
      details: { time_zone: 'Europe/Berlin', time_zone_before: 'UTC' },
    })
    const { headers } = viewer.request('getAccount')
    const session = await fetch(`${scene.app.url}/dashboard/api/session`, { headers })
    expect(await session.json()).toMatchObject({
      accounts: [{ id: scene.account.id, time_zone: 'Europe/Berlin' }],
    })
    expect((await viewer.call('updateAccount', { body: { time_zone: 'UTC' } })).status).toBe(403)
    expect((await stranger.call('getAccount')).body.time_zone).toBe('UTC')
  })

  it.each(['+02:00', 'CEST', 'europe/berlin', 'Europe/Nowhere', 'Etc/GMT+5', '', 'x'.repeat(65)])(
    'refuses %j as a time zone and keeps the one before',
    async time_zone => {
      const { time_zone: before } = (await admin.call('getAccount')).body
      const refused = await admin.call('updateAccount', { body: { name: 'Not saved either', time_zone } })
      expect(refused.status).toBe(422)
      expect(refused.body.error.message).toMatch(/^time_zone must /)
      const { name, time_zone: after } = (await admin.call('getAccount')).body
      expect({ name, after }).toEqual({ name: expect.not.stringContaining('Not saved'), after: before })
    },
  )

  it('refuses a zone that Node.js knows and PostgreSQL does not', async () => {
    const { rows } = await scene.database.owner.query('SELECT name FROM pg_timezone_names')
    const known = new Set(rows.map(({ name }) => name))
    const missing = Intl.supportedValuesOf('timeZone').find(name => !known.has(name))
    if (missing === undefined) return
    const refused = await admin.call('updateAccount', { body: { time_zone: missing } })
    expect(refused.status).toBe(422)
    expect(refused.body.error.message).toContain('PostgreSQL')
  })

  it('of two people who save at once, neither undoes the change of the other', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `Name ${round}`
      const time_zone = ['Asia/Tokyo', 'America/New_York'][round % 2] as string
      const saved = await Promise.all([
        admin.call('updateAccount', { body: { name } }),
        owner.call('updateAccount', { body: { time_zone } }),
      ])
      expect(saved.map(({ status }) => status)).toEqual([200, 200])
      expect((await viewer.call('getAccount')).body).toMatchObject({ name, time_zone })
    }
  })

  it('of two time zones saved at once the last one stays, and the log shows which replaced which', async () => {
    await admin.call('updateAccount', { body: { time_zone: 'UTC' } })
    await Promise.all(
      ['Asia/Tokyo', 'America/New_York'].map(time_zone =>
        admin.call('updateAccount', { body: { time_zone } }),
      ),
    )
    const [last, first] = await listAudit(scene.database.db, scene.account.id, { limit: 2 })
    expect(first?.details).toMatchObject({ time_zone_before: 'UTC' })
    expect(last?.details).toMatchObject({ time_zone_before: first?.details.time_zone })
    expect((await viewer.call('getAccount')).body.time_zone).toBe(last?.details.time_zone)
  })
})

describe('API keys', () => {
  it('work from the moment they are made until they are revoked, and are shown once', async () => {
    const made = await admin.call('createApiKey', { body: { name: 'backend' } })
    expect(made.body).toEqual({ id: expect.any(Number), key: expect.stringMatching(/^trib_/) })
    const api = new TestClient(scene.app.url, made.body.key)
    expect((await api.get('/campaigns')).status).toBe(200)

    const list = await admin.call('listApiKeys')
    expect(list.text).not.toContain(made.body.key)
    expect(list.body.data[0]).toMatchObject({
      id: made.body.id,
      name: 'backend',
      last_four: made.body.key.slice(-4),
      created_by: admin.email,
      revoked_at: null,
    })
    expect((await stranger.call('revokeApiKey', { id: made.body.id })).status).toBe(404)
    expect((await api.get('/campaigns')).status).toBe(200)

    expect((await admin.call('revokeApiKey', { id: made.body.id })).body).toEqual({})
    expect(await lastAudit()).toMatchObject({
      action: 'api_key.revoke',
      subject_id: made.body.id,
      details: { name: 'backend', last_four: made.body.key.slice(-4) },
    })
    await expect.poll(async () => (await api.get('/campaigns')).status).toBe(401)
    const { body } = await admin.call('listApiKeys')
    expect(body.data[0].revoked_at).toEqual(expect.any(String))
    expect((await stranger.call('listApiKeys')).body.data).toHaveLength(1)
  })
})

describe('the team', () => {
  const team = async () =>
    (await viewer.call('listTeam')).body as { members: Member[]; invitations: Invitation[] }
  const idOf = async (person: Person) =>
    (await team()).members.find(({ email }) => email === person.email)?.id as number

  it('is seen by all of it', async () => {
    const { members } = await team()
    expect(members.map(({ email, role }) => [email, role])).toEqual([
      [owner.email, 'owner'],
      [admin.email, 'admin'],
      [viewer.email, 'viewer'],
    ])
    expect((await stranger.call('listTeam')).body.members).toHaveLength(1)
  })

  it('grows by invitations, which can be withdrawn', async () => {
    const email = `${unique('invited')}@example.com`
    const made = await owner.call('invite', { body: { email, role: 'finance' } })
    expect(made.body.link).toMatch(/^https:\/\/programme\.example\/dashboard\/invitation#[\w-]{43}$/)
    expect(await lastAudit()).toMatchObject({
      action: 'team.invite',
      subject_id: made.body.id,
      details: { email, role: 'finance' },
    })
    expect((await team()).invitations).toMatchObject([{ id: made.body.id, email, role: 'finance' }])
    expect((await stranger.call('withdrawInvitation', { id: made.body.id })).status).toBe(404)
    expect((await owner.call('withdrawInvitation', { id: made.body.id })).body).toEqual({})
    expect(await lastAudit()).toMatchObject({ action: 'team.withdraw_invitation', details: { email } })
    expect((await team()).invitations).toEqual([])
    expect((await owner.call('withdrawInvitation', { id: made.body.id })).status).toBe(404)
    for (const body of [
      { email: 'not-an-email', role: 'viewer' },
      { email, role: 'boss' },
    ])
      expect((await owner.call('invite', { body })).status).toBe(422)
  })

  it('gets the link only by email if there is a mail server', async () => {
    const mailing = await startApp(scene.database, {
      TRIBUTARY_SMTP_URL: 'smtp://mail.example:25',
      TRIBUTARY_MAIL_FROM: 'Acme <hello@acme.example>',
    })
    try {
      const person = await Person.join(mailing, scene.account.id, 'owner')
      const email = `${unique('mailed')}@example.com`
      const { body } = await person.call('invite', { body: { email, role: 'viewer' } })
      expect(body.link).toBeNull()
      const { rows } = await scene.database.owner.query('SELECT text_body FROM mails WHERE to_address = $1', [
        email,
      ])
      expect(rows[0].text_body).toContain('/dashboard/invitation#')
      const { body: account } = await person.call('getAccount')
      expect(account.mail_from).toBe('Acme <hello@acme.example>')
      await owner.call('removeMember', { id: await idOf(person) })
    } finally {
      await mailing.close()
    }
  })

  it('changes roles at once', async () => {
    const person = await Person.join(scene.app, scene.account.id, 'viewer')
    const id = await idOf(person)
    expect((await person.call('listApiKeys')).status).toBe(403)
    expect((await owner.call('changeRole', { id, body: { role: 'admin' } })).body).toEqual({})
    expect(await lastAudit()).toMatchObject({
      action: 'team.change_role',
      subject_id: id,
      details: { role: 'admin', role_before: 'viewer', email: person.email },
    })
    expect((await person.call('listApiKeys')).status).toBe(200)
    expect((await stranger.call('changeRole', { id, body: { role: 'owner' } })).status).toBe(404)
    expect((await owner.call('removeMember', { id })).body).toEqual({})
    expect(await lastAudit()).toMatchObject({
      action: 'team.remove',
      subject_id: id,
      details: { email: person.email, role_before: 'admin' },
    })
    expect((await person.call('getAccount')).status).toBe(404)
    expect((await owner.call('removeMember', { id })).status).toBe(404)
  })

  it('keeps an owner, whatever its owners do to each other at once', async () => {
    const id = await idOf(owner)
    for (const tried of [
      owner.call('changeRole', { id, body: { role: 'admin' } }),
      owner.call('removeMember', { id }),
    ])
      expect(await tried).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
    const second = await Person.join(scene.app, scene.account.id, 'owner')
    const answers = await Promise.all([
      owner.call('removeMember', { id: await idOf(second) }),
      second.call('changeRole', { id, body: { role: 'viewer' } }),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const owners = (await team()).members.filter(({ role }) => role === 'owner')
    expect(owners).toHaveLength(1)
    if (owners[0]?.id !== id) await second.call('changeRole', { id, body: { role: 'owner' } })
  })
})

describe('payout rails', () => {
  it('takes PayPal credentials and never gives the secret back', async () => {
    expect((await admin.call('getRails')).body).toEqual({ paypal: null })
    const body = { client_id: 'AZ-1', client_secret: 'very-secret' }
    expect((await admin.call('setPayPalCredentials', { body })).body).toEqual({})
    expect(await lastAudit()).toMatchObject({
      action: 'rail.paypal',
      details: { client_id: 'AZ-1', client_secret: '…' },
    })
    const rails = await admin.call('getRails')
    expect(rails.body).toEqual({ paypal: { client_id: 'AZ-1', updated_at: expect.any(String) } })
    expect(rails.text).not.toContain('very-secret')
    const kept = await payPalCredentials(scene.database.db, scene.app.services.secrets, scene.account.id)
    expect(kept).toEqual({ clientId: 'AZ-1', clientSecret: 'very-secret' })
    expect((await stranger.call('getRails')).body).toEqual({ paypal: null })
    for (const wrong of [
      { client_id: 'a:b', client_secret: 's' },
      { client_id: 'a' },
      { client_id: 'a', client_secret: 'ü' },
    ])
      expect((await admin.call('setPayPalCredentials', { body: wrong })).status).toBe(422)
  })
})

it('rates of exchange are shown, the newest of each pair', async () => {
  const { db } = scene.database
  await setRate(db, { from: 'EUR', to: 'USD', rate: '1.08', day: '2026-01-01' })
  await setRate(db, { from: 'EUR', to: 'USD', rate: '1.0853', day: '2026-02-01' })
  expect((await viewer.call('listRates')).body.data).toEqual([
    { base: 'EUR', quote: 'USD', day: '2026-02-01', rate: '1.0853', source: 'manual' },
  ])
})

it('emails of the account are listed and read; those about a sign-in belong to no account', async () => {
  const { db } = scene.database
  const write = (accountId: number | null, subject: string) =>
    db.transaction(tx =>
      writeMail(tx, accountId, 'jane@example.com', {
        kind: 'affiliate_approved',
        subject,
        lines: ['Welcome <b>to</b> the programme.'],
        action: { label: 'Open the portal', url: 'https://programme.example/portal' },
      }),
    )
  for (const subject of ['One', 'Two', 'Three']) await write(scene.account.id, subject)
  await write(null, 'Set a new password')
  const first = (await admin.call('listMails', { query: { limit: 2 } })).body
  expect(first.data.map((mail: { subject: string }) => mail.subject)).toEqual(['Three', 'Two'])
  const second = (await admin.call('listMails', { query: { limit: 2, after: first.next } })).body
  expect(second).toMatchObject({ data: [{ subject: 'One', status: 'pending' }], next: null })
  expect(second.data[0]).not.toHaveProperty('html_body')
  const subjects = async (query: object) =>
    (await admin.call('listMails', { query })).body.data.map((mail: { subject: string }) => mail.subject)
  expect(await subjects({ q: ' JANE@ex', status: 'pending' })).toEqual(['Three', 'Two', 'One'])
  expect(await subjects({ q: 'two' })).toEqual(['Two'])
  expect([await subjects({ q: '%' }), await subjects({ status: 'failed' })]).toEqual([[], []])
  const { body } = await admin.call('getMail', { id: second.data[0].id })
  expect(body.text_body).toContain('https://programme.example/portal')
  expect(body.html_body).toContain('&lt;b&gt;')
  expect((await stranger.call('getMail', { id: body.id })).status).toBe(404)
  expect((await stranger.call('listMails')).body.data).toEqual([])
  const { rows } = await scene.database.owner.query('SELECT id FROM mails WHERE account_id IS NULL')
  for (const { id } of rows) expect((await admin.call('getMail', { id })).status).toBe(404)
})
