import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { until } from './until.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface MailServer {
  url: string
  /** Waits for and removes the first email to this address whose subject matches. */
  take(to: string, subject: RegExp): Promise<Mail>
  close(): Promise<void>
}

/** A real mail server that keeps every email and delivers none. With a login, it accepts no other. */
export async function startMailServer(login?: { user: string; password: string }): Promise<MailServer> {
  const kept: Mail[] = []
  const server = new SMTPServer({
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.password
      done(isRight ? null : new Error('Wrong user or password'), { user: username })
    },
    async onData(stream, session, done) {
      const { subject = '', text = '' } = await PostalMime.parse(await buffer(stream))
      for (const { address } of session.envelope.rcptTo) kept.push({ to: address, subject, text })
      done()
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const find = (to: string, subject: RegExp) => {
    const place = kept.findIndex(mail => mail.to === to && subject.test(mail.subject))
    return place < 0 ? undefined : kept.splice(place, 1)[0]
  }
  return {
    url: `smtp://127.0.0.1:${port}`,
    take: (to, subject) => until(`a mail to ${to} about ${subject}`, () => find(to, subject)),
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
