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
}

/** An SMTP server that accepts everything, for the tests of a file. */
export function useSmtpServer(): SmtpServer {
  const smtp: SmtpServer = { url: '', received: [], recipients: [] }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(message, { envelope }, done) {
      smtp.recipients.push(...envelope.rcptTo.map(({ address }) => address))
      buffer(message)
        .then(async bytes => smtp.received.push(await PostalMime.parse(bytes)))
        .then(() => done(), done)
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
