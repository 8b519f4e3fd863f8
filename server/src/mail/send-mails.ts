import type { Settings } from '../config.ts'
import type { Db } from '../db/database.ts'
import { claimMails, keepMails, type MailRow, recordMail } from './mail.store.ts'

const MAILS_AT_ONCE = 10
const MOST_ATTEMPTS = 8
const FIRST_WAIT_SECONDS = 30

/** The bare address of `Acme <mail@acme.com>`. */
const addressOf = (from: string) => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from

/** Sends due emails at least once. A permanent rejection (5xx) is not retried. */
export async function sendMails(
  db: Db,
  settings: Pick<Settings, 'TRIBUTARY_SMTP_URL' | 'TRIBUTARY_MAIL_FROM'>,
): Promise<void> {
  const { TRIBUTARY_SMTP_URL: url, TRIBUTARY_MAIL_FROM: from } = settings
  if (url === undefined) return keepMails(db)
  const mails = await claimMails(db, MAILS_AT_ONCE)
  if (mails.length === 0) return
  // Loaded on first use, to keep it out of the start.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(url, { from })
  const senderAddress = addressOf(from)
  try {
    for (const mail of mails) await recordMail(db, mail.id, await send(mail))
  } finally {
    transport.close()
  }

  async function send(mail: MailRow) {
    try {
      await transport.sendMail({
        ...(mail.from_name !== null && { from: { name: mail.from_name, address: senderAddress } }),
        ...(mail.reply_to !== null && { replyTo: { name: '', address: mail.reply_to } }),
        // As an object: a string is parsed, and "x:jane@example.com" or "(x)jane@example.com" would resolve to Jane's address.
        to: { name: '', address: mail.to_address },
        subject: mail.subject,
        text: mail.text_body,
        html: mail.html_body,
      })
      return { status: 'sent', problem: null, dueInSeconds: 0 } as const
    } catch (error) {
      const { responseCode = 0, message } = error as Error & { responseCode?: number }
      const isFinal = (responseCode >= 500 && responseCode < 600) || mail.attempts >= MOST_ATTEMPTS
      const dueInSeconds = FIRST_WAIT_SECONDS * 2 ** (mail.attempts - 1)
      return { status: isFinal ? 'failed' : 'pending', problem: message, dueInSeconds } as const
    }
  }
}
