import type { Services } from '../../db/services.ts'
import { invalidState } from '../../kit/domain-error.ts'
import { renderMail } from '../render-mail.ts'
import { type SmtpError, sendThrough } from './open-transport.ts'
import { sendingServer } from './sending-server.ts'

/** The user is waiting, and a proxy in front of us gives up after a minute. */
const LONGEST_TEST_REPLY_MS = 20_000

const mail = {
  kind: 'test',
  subject: 'Test email from Tributary',
  lines: ['Your SMTP server works: emails to affiliates are sent through it.'],
}

/** Sends an email at once and not through the queue, so that the user sees the server's own error. */
export async function sendTestMail(
  { db, secrets, settings }: Pick<Services, 'db' | 'secrets' | 'settings'>,
  accountId: number,
  to: string,
): Promise<void> {
  const server = await sendingServer(db, settings, accountId)
  if (!server) throw invalidState('There is no SMTP server yet. Save one first.')
  const message = { to: { name: '', address: to }, subject: mail.subject, ...renderMail(mail) }
  try {
    await sendThrough(server, secrets, settings, message, { longestReplyMs: LONGEST_TEST_REPLY_MS })
  } catch (error) {
    if ((error as SmtpError).isUnanswered)
      throw invalidState("The server has the email, but didn't confirm it in time. Check whether it arrives.")
    throw invalidState(`The email was not sent. ${(error as Error).message}`)
  }
}
