import type { Services } from '../../db/services.ts'
import { invalidState } from '../../kit/domain-error.ts'
import { renderMail } from '../render-mail.ts'
import { sendThrough } from './open-transport.ts'
import { sendingServer } from './sending-server.ts'

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
    await sendThrough(server, secrets, settings, message)
  } catch (error) {
    throw invalidState(`The email was not sent. ${(error as Error).message}`)
  }
}
