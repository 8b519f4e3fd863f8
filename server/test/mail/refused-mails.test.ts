/** An SMTP server that refuses the sender's login or address loses no email: only a refused recipient or message is final. */
import { beforeEach, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { sendMails } from '../../src/mail/send-mails.ts'
import { writeMail } from '../../src/mail/write-mail.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { useSmtpServer } from '../portal/smtp-server.ts'

const scene = useOwnScene()
const smtp = useSmtpServer()
beforeEach(async () => {
  Object.assign(smtp, { refused: {}, commands: 0 })
  await scene.database.owner.query('DELETE FROM mails')
})

async function queue(name: string, kind = 'approved') {
  const to = `${unique(name)}@example.com`
  await scene.database.db.transaction(tx =>
    writeMail(tx, scene.account.id, to, { kind, subject: 'Hello', lines: ['Hi'] }),
  )
}
async function send() {
  const url = smtp.url.replace('//', '//acme:wrong@')
  const settings = readSettings({ NODE_ENV: 'test', TRIBUTARY_SMTP_URL: url })
  await sendMails(scene.database.db, scene.app.services.secrets, settings)
  const { rows } = await scene.database.owner.query(
    'SELECT status, problem, due_at > now() AS waits FROM mails ORDER BY id',
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
