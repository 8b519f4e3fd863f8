import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll } from 'vitest'

export interface SmtpServer {
  url: string
  /** Received emails, oldest first, parsed as a mail client does. */
  received: Email[]
  /** The envelope's recipients, whatever the headers say. */
  recipients: string[]
  /** Commands that it answers with an error, by the start of what they are about: a user, a sender, a recipient. */
  refused: Partial<Record<'AUTH' | 'MAIL' | 'RCPT', { argument: string; code: number }>>
  /** It takes emails to recipients that start with this, and never confirms them. */
  silentTo: string | undefined
  /** How often it was asked to accept a user, a sender or a recipient. */
  commands: number
}

/** An SMTP server that accepts everything that isn't refused, for the tests of a file. */
export function useSmtpServer(): SmtpServer {
  const smtp: SmtpServer = {
    url: '',
    received: [],
    recipients: [],
    refused: {},
    silentTo: undefined,
    commands: 0,
  }
  const refusal = (command: keyof SmtpServer['refused'], argument: string) => {
    smtp.commands += 1
    const refused = smtp.refused[command]
    return refused && argument.startsWith(refused.argument)
      ? Object.assign(new Error(`${command} refused`), { responseCode: refused.code })
      : null
  }
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth({ username = '' }, _session, done) {
      const problem = refusal('AUTH', username)
      if (problem) done(problem)
      else done(null, { user: username })
    },
    onMailFrom: ({ address }, _session, done) => done(refusal('MAIL', address)),
    onRcptTo: ({ address }, _session, done) => done(refusal('RCPT', address)),
    onData(message, { envelope }, done) {
      smtp.recipients.push(...envelope.rcptTo.map(({ address }) => address))
      buffer(message)
        .then(async bytes => smtp.received.push(await PostalMime.parse(bytes)))
        .then(() => {
          const isSilent = envelope.rcptTo.some(
            ({ address }) => smtp.silentTo && address.startsWith(smtp.silentTo),
          )
          if (!isSilent) done()
        }, done)
    },
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1', () => undefined)
    await once(server.server, 'listening')
    smtp.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise<void>(done => server.close(done)))
  return smtp
}
