import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { until } from './until.ts'

const SOON_MS = 10_000

export interface Mail {
  to: string
  subject: string
  /** Everything as it was sent, made readable: both forms of the mail one after the other. */
  content: string
}

export interface MailServer {
  url: string
  /** Takes the first mail to this address whose subject matches, once it has come. */
  take(to: string, subject: RegExp): Promise<Mail>
  close(): Promise<void>
}

const utf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('utf8')
const quotedPrintable = (source: string) =>
  source.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** What people read of a mail: its lines put together again, its letters decoded. */
function read(to: string, source: string): Mail {
  const line = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(source)?.[1]?.replaceAll(/\r\n[ \t]/g, ' ') ?? ''
  const subject = line.replaceAll(/=\?UTF-8\?([QB])\?(.*?)\?=\s*/gi, (_, how: string, coded: string) =>
    how.toUpperCase() === 'B'
      ? Buffer.from(coded, 'base64').toString('utf8')
      : utf8(quotedPrintable(coded.replaceAll('_', ' '))),
  )
  return { to, subject, content: utf8(quotedPrintable(source.replaceAll('=\r\n', ''))) }
}

/** A real mail server that delivers to nobody and keeps what it got. */
export async function startMailServer(): Promise<MailServer> {
  const kept: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      text(stream.setEncoding('latin1')).then(source => {
        for (const { address } of session.envelope.rcptTo) kept.push(read(address, source))
        done()
      }, done)
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
    take: (to, subject) => until(`a mail to ${to} about ${subject}`, SOON_MS, () => find(to, subject)),
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
