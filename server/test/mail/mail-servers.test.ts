/** An account's own SMTP server: sealed, tested, used for its emails only, and second to the environment's. */
import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import type { SetMailServer } from '@tributary/contract/dashboard'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import type { Db } from '../../src/db/database.ts'
import { keepWithoutServer, sendMails } from '../../src/mail/send-mails.ts'
import { setMailServer } from '../../src/mail/servers/mail-server.ts'
import { openTransport } from '../../src/mail/servers/open-transport.ts'
import { writeMail } from '../../src/mail/write-mail.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, unique } from '../factories.ts'
import { startApp, useOwnScene } from '../harness.ts'
import { betweenStatements, lockWaiters, whileHeld } from '../interleave.ts'
import { useSmtpServer } from '../portal/smtp-server.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const smtp = useSmtpServer()
let owner: Person
beforeAll(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
})
beforeEach(async () => {
  smtp.received.length = 0
  smtp.recipients.length = 0
  await scene.database.owner.query('DELETE FROM mail_servers')
})

const server = (changes: Partial<SetMailServer> = {}): SetMailServer => ({
  host: '127.0.0.1',
  port: Number(new URL(smtp.url).port),
  security: 'none',
  user: null,
  from: 'partners@acme.example',
  ...changes,
})
const save = (changes: Partial<SetMailServer> = {}, person = owner) =>
  person.call('setMailServer', { body: server(changes) })
const show = async () => (await owner.call('getMailServer')).body
const secrets = () => scene.app.services.secrets
const sendAs = (env: Record<string, string>, options: Parameters<typeof sendMails>[3] = {}) =>
  sendMails(scene.database.db, secrets(), readSettings({ NODE_ENV: 'test', ...env }), options)
/** What `serve` does. */
async function send(env: Record<string, string> = {}, options: Parameters<typeof sendMails>[3] = {}) {
  await keepWithoutServer(scene.database.db, readSettings({ NODE_ENV: 'test', ...env }))
  await sendAs(env, options)
}
async function queue(accountId: number | null = scene.account.id) {
  const to = `${unique('jane')}@example.com`
  await scene.database.db.transaction(tx =>
    writeMail(tx, accountId, to, { kind: 'approved', subject: 'Hello', lines: ['Hi'] }),
  )
  return to
}
const statusOf = async (to: string) =>
  (await scene.database.owner.query('SELECT status, problem FROM mails WHERE to_address = $1', [to])).rows[0]

const attemptsOf = async (to: string): Promise<number> =>
  (await scene.database.owner.query('SELECT attempts FROM mails WHERE to_address = $1', [to])).rows[0]
    .attempts

it('an email waits for a process that has the server, if a worker without it runs first', async () => {
  const to = await queue()
  await sendAs({})
  expect([(await statusOf(to)).status, await attemptsOf(to)]).toEqual(['pending', 0])
  await send({ TRIBUTARY_SMTP_URL: smtp.url, TRIBUTARY_MAIL_FROM: 'mail@example.com' })
  expect((await statusOf(to)).status).toBe('sent')
  const unsent = await queue()
  await send()
  expect((await statusOf(unsent)).status).toBe('kept')
})

describe('the server', () => {
  it('is shown without its password, and stored without anything readable', async () => {
    expect(await show()).toEqual({ source: null, from: null, server: null })
    expect((await save({ user: 'acme-user', password: 'hunter2-secret' })).status).toBe(200)
    const shown = await show()
    expect(shown).toMatchObject({
      source: 'account',
      from: 'partners@acme.example',
      server: { host: '127.0.0.1', security: 'none', user: 'acme-user' },
    })
    expect(JSON.stringify(shown)).not.toContain('hunter2')
    const { rows } = await scene.database.owner.query('SELECT encode(sealed, $1) AS text FROM mail_servers', [
      'escape',
    ])
    expect(rows[0].text).not.toMatch(/hunter2|acme-user|127\.0\.0\.1/)
    const { data } = (await owner.call('listAuditLog', { query: { action: 'mail_server.set' } })).body
    expect(data[0].details).toMatchObject({ host: '127.0.0.1', user: '…', password: '…' })
  })

  it('shows its user to owners only: at some providers it is the password', async () => {
    expect((await save({ user: 'server-token-1', password: 'server-token-1' })).status).toBe(200)
    const [admin, viewer] = [
      await Person.join(scene.app, scene.account.id, 'admin'),
      await Person.join(scene.app, scene.account.id, 'viewer'),
    ]
    const logged = await viewer.call('listAuditLog')
    expect(logged.body.data[0].action).toBe('mail_server.set')
    expect(logged.text).not.toContain('server-token-1')
    const shown = await admin.call('getMailServer')
    expect(shown.body.server).toMatchObject({ host: '127.0.0.1', user: null })
    expect(shown.text).not.toContain('server-token-1')
    expect((await show()).server.user).toBe('server-token-1')
    await save({ user: null })
    expect((await viewer.call('listAuditLog')).body.data[0].details.user).toBeNull()
  })

  it('keeps its password only for the same server and user', async () => {
    await save({ user: 'acme-user', password: 'hunter2-secret' })
    expect((await save({ user: 'acme-user', from: 'other@acme.example' })).status).toBe(200)
    for (const change of [
      { host: 'evil.example' },
      { port: 2525 },
      { user: 'other' },
      { security: 'tls' as const },
    ]) {
      const { status, body } = await save({ user: 'acme-user', ...change })
      expect([status, body.error.message]).toEqual([422, expect.stringContaining('password is required')])
    }
    expect((await show()).from).toBe('other@acme.example')
  })

  it('keeps a new password when another change that leaves it out comes at the same time', async () => {
    const set = (db: Db, body: SetMailServer) => setMailServer(db, secrets(), scene.account.id, body)
    await set(scene.database.db, server({ user: 'u', password: 'old' }))
    await whileHeld(
      scene.database,
      tx => set(tx, server({ user: 'u', password: 'new' })),
      () => set(scene.database.db, server({ user: 'u', from: 'later@acme.example' })),
    )
    const { rows } = await scene.database.owner.query('SELECT from_address, sealed FROM mail_servers')
    const stored = JSON.parse(secrets().open('mail server', scene.account.id, rows[0].sealed))
    expect([rows[0].from_address, stored.password]).toEqual(['later@acme.example', 'new'])
  })

  it('stays removed when a change that leaves the password out comes at the same time', async () => {
    const { db, owner: direct } = scene.database
    await setMailServer(db, secrets(), scene.account.id, server({ user: 'u', password: 'old' }))
    let removing: Promise<unknown> | undefined
    const meanwhile = async () => {
      let isDone = false
      removing = owner.call('removeMailServer').finally(() => {
        isDone = true
      })
      while (!isDone && (await lockWaiters(direct)).length === 0);
    }
    const change = server({ user: 'u', from: 'later@acme.example' })
    await setMailServer(betweenStatements(db, meanwhile), secrets(), scene.account.id, change)
    expect(await removing).toMatchObject({ status: 200 })
    expect((await direct.query('SELECT FROM mail_servers')).rowCount).toBe(0)
  })

  it('is changed by owners only, since it may send the links that set their passwords; admins see it', async () => {
    await save()
    for (const role of ['admin', 'finance', 'viewer'] as const) {
      const person = await Person.join(scene.app, scene.account.id, role)
      expect((await save({ host: 'evil.example' }, person)).status).toBe(403)
      for (const call of ['testMailServer', 'removeMailServer'] as const)
        expect((await person.call(call)).status).toBe(403)
      expect((await person.call('getMailServer')).status).toBe(role === 'admin' ? 200 : 403)
    }
    expect((await show()).server).toMatchObject({ host: '127.0.0.1' })
  })

  it('is refused with a host or port that is none', async () => {
    for (const wrong of [
      { host: 'a b' },
      { host: 'a/b' },
      { port: 0 },
      { port: 70_000 },
      { from: 'no-address' },
    ])
      expect((await save(wrong)).status).toBe(422)
  })
})

describe('a test email', () => {
  it('arrives at the user, and the error of the server is shown', async () => {
    expect((await owner.call('testMailServer')).status).toBe(409)
    await save()
    expect((await owner.call('testMailServer')).body).toEqual({ to: owner.email })
    expect(smtp.recipients).toEqual([owner.email])
    expect(smtp.received[0]?.from?.address).toBe('partners@acme.example')
    await save({ port: 1 })
    const { status, body } = await owner.call('testMailServer')
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('ECONNREFUSED')])
  })

  const production = { NODE_ENV: 'production', TRIBUTARY_SECRET_KEY: 'x'.repeat(64) }
  const open = async (changes: Partial<SetMailServer>, env: Record<string, string>) => {
    await save(changes)
    const row = (await scene.database.owner.query('SELECT * FROM mail_servers')).rows[0]
    const used = {
      source: 'account',
      row: { ...row, account_id: scene.account.id },
      from: 'a@b.example',
    } as const
    const settings = readSettings({ ...production, ...env })
    const transport = await openTransport(used, secrets(), settings, new Socket())
    transport.close()
  }
  const allowed = { TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }

  it('does not reach private addresses in production unless the operator allows them', async () => {
    for (const security of ['tls', 'starttls'] as const) {
      await expect(open({ security }, {})).rejects.toThrow('private, link-local or metadata')
      await open({ security }, allowed)
    }
  })

  it('goes unencrypted only to private addresses that the operator allows', async () => {
    for (const env of [{}, allowed])
      await expect(open({ host: '8.8.8.8' }, env)).rejects.toThrow("8.8.8.8 can't be used without encryption")
    await expect(open({}, {})).rejects.toThrow("127.0.0.1 can't be used without encryption")
    await open({}, allowed)
    await open({ host: '8.8.8.8', security: 'starttls' }, {})
  })
})

describe('emails', () => {
  it("about a user's sign-in are sent by the only account's server", async () => {
    const { rows } = await scene.database.owner.query('SELECT count(*)::integer AS accounts FROM accounts')
    expect(rows).toEqual([{ accounts: 1 }])
    await save()
    const to = await queue(null)
    await send()
    expect([await statusOf(to), smtp.recipients]).toMatchObject([{ status: 'sent' }, [to]])
  })

  it('are sent through the server of their account, and kept where there is none', async () => {
    await save()
    const other = await buildAccount(scene.database)
    const [own, others] = [await queue(), await queue(other.id)]
    await send()
    expect([await statusOf(own), await statusOf(others)]).toMatchObject([
      { status: 'sent' },
      { status: 'kept' },
    ])
    expect(smtp.recipients).toEqual([own])
    expect(smtp.received[0]?.from?.address).toBe('partners@acme.example')
  })

  it("about a user's sign-in are kept where several accounts could send them", async () => {
    await save()
    const several = await queue(null)
    await send()
    expect(await statusOf(several)).toMatchObject({ status: 'kept' })
  })

  it('that invite to a team are sent by its account’s server, which no one else can read; the link is shown too', async () => {
    await save()
    const invited = async (by: Person) => {
      const email = `${unique('teammate')}@example.com`
      const { status, body } = await by.call('invite', { body: { email, role: 'viewer' } })
      expect(status).toBe(200)
      return { email, link: body.link }
    }
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    const other = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
    const [own, others] = [await invited(owner), await invited(other)]
    await send()
    expect(smtp.recipients).toEqual([own.email])
    expect(smtp.received[0]?.from?.address).toBe('partners@acme.example')
    for (const { link } of [own, others]) expect(link).toContain('/dashboard/invitation#')
    expect([await statusOf(own.email), await statusOf(others.email)]).toMatchObject([
      { status: 'sent' },
      { status: 'kept' },
    ])
    const { body } = await owner.call('listMails')
    expect(JSON.stringify(body)).not.toContain(own.email)
  })

  it('of an account whose server is down wait, and do not hold up others', async () => {
    await save({ port: 1 })
    const other = await buildAccount(scene.database)
    await setMailServer(scene.database.db, secrets(), other.id, server())
    const [stuck, stuckToo, sent] = [await queue(), await queue(), await queue(other.id)]
    await send()
    expect(await statusOf(sent)).toMatchObject({ status: 'sent' })
    for (const to of [stuck, stuckToo])
      expect(await statusOf(to)).toMatchObject({
        status: 'pending',
        problem: expect.stringContaining('ECONNREFUSED'),
      })
  })

  it('of an account whose server never answers occupy one run at most, and the next ones send what others have', async () => {
    const hanging = createServer()
    const connected = once(hanging, 'connection') as Promise<[Socket]>
    await new Promise<void>(done => hanging.listen(0, '127.0.0.1', done))
    const busy = new Set<number>()
    const sendBeside = () => send({}, { busy })
    await save({ port: (hanging.address() as AddressInfo).port })
    const other = await buildAccount(scene.database)
    await setMailServer(scene.database.db, secrets(), other.id, server())
    const stuck = await queue()
    const held = sendBeside()
    const [socket] = await connected
    const [waiting, sent] = [await queue(), await queue(other.id)]
    await sendBeside()
    expect([await statusOf(sent), smtp.recipients]).toMatchObject([{ status: 'sent' }, [sent]])
    expect(await attemptsOf(waiting)).toBe(0)

    socket.destroy()
    await held
    expect(await statusOf(stuck)).toMatchObject({ status: 'pending', problem: expect.any(String) })
    await new Promise(done => hanging.close(done))
    await sendBeside()
    expect(await attemptsOf(waiting)).toBe(1)
  })

  it('to a server that answers without an end are given up in time, and its connection is closed', async () => {
    const dripping = createServer(socket => {
      socket.on('error', () => undefined)
      socket.write('220 mail.example\r\n')
      socket.once('data', () => {
        const drip = setInterval(() => socket.write('250-and more\r\n'), 10)
        socket.once('close', () => clearInterval(drip))
      })
    })
    const connected = once(dripping, 'connection') as Promise<[Socket]>
    await new Promise<void>(done => dripping.listen(0, '127.0.0.1', done))
    await save({ port: (dripping.address() as AddressInfo).port })
    const to = await queue()
    const sent = send({}, { longestSendMs: 300 })
    const [socket] = await connected
    // Closed or reset, which `once` of node:events would reject.
    await Promise.all([sent, new Promise(done => socket.once('close', done))])
    expect(await statusOf(to)).toEqual({ status: 'pending', problem: 'The server took longer than 0.3 s' })
    await new Promise(done => dripping.close(done))
  })

  it('that a slow server leaves for the next run are not counted as tried', async () => {
    await save()
    const [first, second] = [await queue(), await queue()]
    // A changed row is stored behind the others: the oldest is sent first all the same.
    await scene.database.owner.query('UPDATE mails SET subject = subject WHERE to_address = $1', [first])
    await send({}, { longestRunMs: 0 })
    expect(smtp.recipients).toEqual([first])
    expect([await statusOf(second), await attemptsOf(second)]).toEqual([
      { status: 'pending', problem: null },
      0,
    ])
    await send()
    expect(smtp.recipients).toEqual([first, second])
  })

  it("are sent by the environment's server if there is one", async () => {
    await save({ port: 1 })
    const to = await queue()
    await send({ TRIBUTARY_SMTP_URL: smtp.url, TRIBUTARY_MAIL_FROM: 'Env <env@acme.example>' })
    expect(await statusOf(to)).toMatchObject({ status: 'sent' })
    expect(smtp.received[0]?.from?.address).toBe('env@acme.example')
    const app = await startApp(scene.database, { TRIBUTARY_SMTP_URL: smtp.url })
    try {
      const person = await Person.join(app, scene.account.id, 'owner')
      expect((await person.call('getMailServer')).body).toMatchObject({ source: 'environment' })
    } finally {
      await app.close()
    }
  })
})

it('an invitation to an affiliate can be sent as soon as the server is saved', async () => {
  const email = `${unique('jane')}@example.com`
  const add = () =>
    owner.call('createAffiliate', {
      body: { email, campaign_id: scene.place.campaign_id, approve: true, invite: true },
    })
  expect((await add()).status).toBe(409)
  expect((await owner.call('getAccount')).body.mail_from).toBeNull()
  await save()
  expect((await owner.call('getAccount')).body.mail_from).toBe('partners@acme.example')
  expect((await add()).body.invited).toBe(true)
  await send()
  expect(smtp.recipients).toContain(email)
})
