import type { Db } from '../db/database.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { claimMails, keepMails, type MailResult, type MailRow, recordMail, returnMail } from './mail.store.ts'
import { LONGEST_RUN_MS } from './send-limits.ts'
import { type SendLimits, type SmtpError, sendThrough } from './servers/open-transport.ts'
import { type MailSettings, type SendingServer, sendingServer } from './servers/sending-server.ts'

const MAILS_AT_ONCE = 10
const FIRST_WAIT_SECONDS = 30
const LONGEST_WAIT_SECONDS = 3600
/** The waits double up to an hour, so this many last 23 hours: long enough for a night, and no link that is valid for a day arrives after it. */
const MOST_ATTEMPTS = 30
/** As many last an hour: after that, such a link has expired, and its recipient has asked for another. */
const MOST_ATTEMPTS_OF_LINKS = 8
/** An email that a server has, but didn't confirm, may have arrived: it's sent again this often at most, and later than others. */
const MOST_UNANSWERED = 4
const FIRST_WAIT_UNANSWERED_SECONDS = 300
const linkKinds = ['sign_in_link', 'password_reset']

/** The bare address of `Acme <mail@acme.com>`. */
const addressOf = (from: string) => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from

/**
 * Sends due emails at least once. A rejected recipient or message (5xx) is not retried. Accounts with different servers don't wait for each
 * other: what `busy` holds, shared by concurrent runs, is left alone, so that a server that hangs occupies one of them. Emails that
 * this process has no server for stay: another may have it in its environment.
 */
export async function sendMails(
  db: Db,
  secrets: SecretBox,
  settings: MailSettings,
  {
    busy = new Set(),
    longestRunMs = LONGEST_RUN_MS,
    ...limits
  }: { busy?: Set<number>; longestRunMs?: number } & SendLimits = {},
): Promise<void> {
  const ofOwnServers = settings.TRIBUTARY_SMTP_URL === undefined
  const byAccount = new Map<number | null, MailRow[]>()
  for (const mail of await claimMails(db, MAILS_AT_ONCE, { busy: [...busy], ofOwnServers })) {
    const key = ofOwnServers ? (mail.account_id ?? mail.server_account_id) : null
    byAccount.set(key, [...(byAccount.get(key) ?? []), mail])
  }
  await Promise.all(
    [...byAccount].map(async ([accountId, mails]) => {
      if (accountId !== null) busy.add(accountId)
      try {
        const server = await sendingServer(db, settings, accountId)
        const send = async (mail: MailRow) =>
          server && sendThrough(server, secrets, settings, messageOf(mail, addressOf(server.from)), limits)
        await sendAll(db, mails, server, send, { longestRunMs, signal: limits.signal })
      } finally {
        if (accountId !== null) busy.delete(accountId)
      }
    }),
  )
}

/** Keeps emails that no server is set up for unsent, to be read in the dashboard. */
export async function keepWithoutServer(db: Db, settings: MailSettings): Promise<void> {
  if (settings.TRIBUTARY_SMTP_URL === undefined) await keepMails(db)
}

async function sendAll(
  db: Db,
  mails: MailRow[],
  server: SendingServer | undefined,
  send: (mail: MailRow) => Promise<void>,
  { longestRunMs, signal }: { longestRunMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  let problem: Error | undefined
  const startedAt = performance.now()
  const isOver = () => signal?.aborted || performance.now() - startedAt > longestRunMs
  for (const [place, mail] of mails.entries()) {
    // Its server was removed since the email was claimed.
    if (!server) await returnMail(db, mail)
    else if (place > 0 && !problem && isOver()) await returnMail(db, mail)
    else {
      problem ??= await send(mail).then(
        () => undefined,
        (error: Error) => error,
      )
      await recordMail(db, mail, resultOf(mail, problem))
      // A server that is down or refuses us is not tried again for each of the others: that would take longer than their lease.
      if (problem && isAboutMail(problem)) problem = undefined
    }
  }
}

/** Whether this recipient or message is the reason. Any other error, such as a wrong password, would meet every email. */
const isAboutMail = ({ command, responseCode, isUnanswered }: SmtpError) =>
  isUnanswered || (responseCode !== undefined && (command === 'RCPT TO' || command === 'DATA'))

function resultOf(mail: MailRow, problem: SmtpError | undefined): MailResult {
  if (!problem) return { status: 'sent', problem: null }
  const unanswered = mail.unanswered + (problem.isUnanswered ? 1 : 0)
  const isRejected = isAboutMail(problem) && (problem.responseCode ?? 0) >= 500
  const isFinal =
    isRejected ||
    unanswered > MOST_UNANSWERED ||
    mail.attempts >= (linkKinds.includes(mail.kind) ? MOST_ATTEMPTS_OF_LINKS : MOST_ATTEMPTS)
  const dueInSeconds = problem.isUnanswered
    ? FIRST_WAIT_UNANSWERED_SECONDS * 2 ** (unanswered - 1)
    : Math.min(FIRST_WAIT_SECONDS * 2 ** (mail.attempts - 1), LONGEST_WAIT_SECONDS)
  return { status: isFinal ? 'failed' : 'pending', problem: problem.message, dueInSeconds, unanswered }
}

const messageOf = (mail: MailRow, senderAddress: string) => ({
  ...(mail.from_name !== null && { from: { name: mail.from_name, address: senderAddress } }),
  ...(mail.reply_to !== null && { replyTo: { name: '', address: mail.reply_to } }),
  // The same for every attempt: mail programs show an email once that arrived twice.
  messageId: `<${mail.id}.${Date.parse(mail.created_at)}@${senderAddress.slice(senderAddress.lastIndexOf('@') + 1)}>`,
  // As an object: a string is parsed, and "x:jane@example.com" or "(x)jane@example.com" would resolve to Jane's address.
  to: { name: '', address: mail.to_address },
  subject: mail.subject,
  text: mail.text_body,
  html: mail.html_body,
  // One click in the mail program is a POST to the address: RFC 8058.
  ...(mail.unsubscribe_url !== null && {
    list: { unsubscribe: mail.unsubscribe_url },
    headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }),
})
