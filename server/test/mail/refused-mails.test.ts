/** An SMTP server that refuses the sender's login or address loses no email: only a refused recipient or message is final. */
import { execFileSync } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { claimMails, recordMail, returnMail, withdrawMails } from '../../src/mail/mail.store.ts'
import { LONGEST_REPLY_MS, LONGEST_RUN_MS, LONGEST_SEND_MS } from '../../src/mail/send-limits.ts'
import { sendMails } from '../../src/mail/send-mails.ts'
import { setMailServer } from '../../src/mail/servers/mail-server.ts'
import { sendThrough } from '../../src/mail/servers/open-transport.ts'
import { sendingServer } from '../../src/mail/servers/sending-server.ts'
import { writeMail } from '../../src/mail/write-mail.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { useSmtpServer } from '../portal/smtp-server.ts'

const scene = useOwnScene()
const smtp = useSmtpServer()
beforeEach(async () => {
  Object.assign(smtp, { refused: {}, silentTo: undefined, commands: 0 })
  smtp.received.length = 0
  await scene.database.owner.query('DELETE FROM mails')
})

async function queue(name: string, kind = 'approved') {
  const to = `${unique(name)}@example.com`
  await scene.database.db.transaction(tx =>
    writeMail(tx, scene.account.id, to, { kind, subject: 'Hello', lines: ['Hi'] }),
  )
}
async function send(options: Parameters<typeof sendMails>[3] = {}) {
  const url = smtp.url.replace('//', '//acme:wrong@')
  const settings = readSettings({ NODE_ENV: 'test', TRIBUTARY_SMTP_URL: url })
  await sendMails(scene.database.db, scene.app.services.secrets, settings, options)
  const { rows } = await scene.database.owner.query(
    // The time is rounded to milliseconds: one of just now may be ahead.
    `SELECT status, problem, attempts, due_at > now() + interval '1 second' AS waits FROM mails ORDER BY id`,
  )
  return rows
}

it.each([
  ['AUTH', 535],
  ['AUTH', 454],
  ['MAIL', 550],
  ['MAIL', 530],
] as const)(
  'emails wait after %s was refused with %i, and the server is asked once',
  async (command, code) => {
    smtp.refused = { [command]: { argument: '', code } }
    for (const name of ['jane', 'john']) await queue(name)
    const waiting = { status: 'pending', problem: expect.stringContaining(`${command} refused`), waits: true }
    expect(await send()).toMatchObject([waiting, waiting])
    expect(smtp.commands).toBe(command === 'AUTH' ? 1 : 2)
    smtp.refused = {}
    await scene.database.owner.query('UPDATE mails SET due_at = now()')
    expect(await send()).toMatchObject([{ status: 'sent' }, { status: 'sent' }])
  },
)

it('a refused recipient is final, and the others get their emails', async () => {
  smtp.refused = { RCPT: { argument: 'jane', code: 550 } }
  for (const name of ['jane', 'john']) await queue(name)
  expect(await send()).toMatchObject([{ status: 'failed' }, { status: 'sent' }])
})

it.each([
  ['approved', 23],
  ['team_digest', 23],
  ['sign_in_link', 1],
])('an email of the kind %s is tried again for %i hours while the server is down', async (kind, hours) => {
  smtp.refused = { MAIL: { argument: '', code: 421 } }
  await queue('jane', kind)
  let waitedSeconds = 0
  for (;;) {
    const [mail] = await send()
    if (mail.status !== 'pending') break
    const { rows } = await scene.database.owner.query(
      'UPDATE mails SET due_at = now() RETURNING (SELECT extract(epoch FROM m.due_at - now()) FROM mails m) AS seconds',
    )
    expect(Number(rows[0].seconds)).toBeLessThanOrEqual(3600)
    waitedSeconds += Math.ceil(rows[0].seconds / 30) * 30
  }
  expect(Math.floor(waitedSeconds / 3600)).toBe(hours)
})

it.each(['sent', 'withdrawn'] as const)(
  'a late result changes nothing once the email was %s',
  async meanwhile => {
    await queue('jane')
    const { db } = scene.database
    const [late] = await claimMails(db, 1)
    if (!late) throw new Error('There is an email.')
    if (meanwhile === 'sent') {
      await scene.database.owner.query('UPDATE mails SET due_at = now()')
      await send()
    } else await withdrawMails(db, [late.id], 'Withdrawn')
    const before = (await scene.database.owner.query('SELECT * FROM mails')).rows
    await recordMail(db, late, { status: 'pending', problem: 'Timeout' })
    await recordMail(db, late, { status: 'failed', problem: 'Timeout' })
    await returnMail(db, late)
    expect((await scene.database.owner.query('SELECT * FROM mails')).rows).toEqual(before)
  },
)

it('a late result of an email that was claimed again changes nothing', async () => {
  await queue('jane')
  const { db } = scene.database
  const [late] = await claimMails(db, 1)
  await scene.database.owner.query('UPDATE mails SET due_at = now()')
  const [again] = await claimMails(db, 1)
  if (!late || !again) throw new Error('There is an email.')
  await recordMail(db, late, { status: 'failed', problem: 'Timeout' })
  await returnMail(db, late)
  const { rows } = await scene.database.owner.query('SELECT status, attempts FROM mails')
  expect(rows).toEqual([{ status: 'pending', attempts: 2 }])
})

it("an email is left in time while its server's name is being resolved", async () => {
  const person = { host: 'localhost', port: Number(new URL(smtp.url).port), security: 'none' as const }
  const { secrets } = scene.app.services
  await setMailServer(scene.database.db, secrets, scene.account.id, {
    ...person,
    user: null,
    from: 'a@acme.example',
  })
  const settings = readSettings({ NODE_ENV: 'test' })
  const server = await sendingServer(scene.database.db, settings, scene.account.id)
  if (!server) throw new Error('There is a server.')
  const folder = await mkdtemp(join(tmpdir(), 'names-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  // Opening a pipe blocks a thread until someone writes to it; names are resolved by the same threads.
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  const opened = Array.from({ length: threads }, () => open(pipe, 'r'))
  try {
    const sent = sendThrough(server, secrets, settings, { to: 'jane@example.com' }, { longestSendMs: 50 })
    await expect(sent).rejects.toThrow('took longer than 0.05 s')
  } finally {
    const writer = openSync(pipe, 'w')
    for (const file of opened) await (await file).close()
    closeSync(writer)
    await rm(folder, { recursive: true })
  }
  // The name is resolved before this one: nothing is sent any more.
  await lookup('localhost')
  expect(smtp.commands).toBe(0)
})

describe('an email that the server has, but does not confirm', () => {
  const unanswered = {
    status: 'pending',
    problem: expect.stringContaining('to confirm the email'),
    waits: true,
  }

  it('is sent again a few times only, as the same message, and does not hold up the others', async () => {
    smtp.silentTo = 'jane'
    for (const name of ['jane', 'john']) await queue(name)
    // John's confirmation may take a while here.
    expect(await send({ longestReplyMs: 2000 })).toMatchObject([unanswered, { status: 'sent' }])
    for (let again = 1; ; again++) {
      await scene.database.owner.query('UPDATE mails SET due_at = now()')
      const [mail] = await send({ longestReplyMs: 100 })
      expect(mail.attempts).toBe(again + 1)
      if (mail.status === 'failed') break
    }
    const ids = smtp.received
      .filter(({ to }) => to?.[0]?.address?.startsWith('jane'))
      .map(({ messageId }) => messageId)
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(1)
    expect(new Set(smtp.received.map(({ messageId }) => messageId)).size).toBe(2)
  })

  it('leaves those that it left no time for as they were', async () => {
    smtp.silentTo = 'jane'
    for (const name of ['jane', 'john']) await queue(name)
    const untried = { status: 'pending', problem: null, attempts: 0, waits: false }
    expect(await send({ longestReplyMs: 100, longestRunMs: 0 })).toMatchObject([unanswered, untried])
  })

  it('is left soon when the service stops', async () => {
    smtp.silentTo = 'jane'
    await queue('jane')
    const stop = new AbortController()
    const sent = send({ signal: stop.signal, stopMs: 100 })
    await expect.poll(() => smtp.received.length).toBe(1)
    stop.abort()
    expect(await sent).toMatchObject([unanswered])
  })

  it('keeps its lease while the server is waited for', async () => {
    await queue('jane')
    await claimMails(scene.database.db, 1)
    const { rows } = await scene.database.owner.query(
      'SELECT extract(epoch FROM due_at - now()) AS seconds FROM mails',
    )
    expect(Number(rows[0].seconds) * 1000).toBeGreaterThan(
      LONGEST_RUN_MS + LONGEST_SEND_MS + LONGEST_REPLY_MS,
    )
  })
})
