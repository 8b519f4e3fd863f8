import type { MailSummary } from '@tributary/contract/dashboard'
import { NOW } from '../db/current-time.ts'
import type { Db, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { isAwaitedLink } from './awaited-link.store.ts'
import { LEASE_SECONDS } from './send-limits.ts'

export interface MailRow {
  id: number
  kind: string
  /** Null for an email that no account may read: about a user's own sign-in, or an invitation to a team. */
  account_id: number | null
  /** The account whose server sends such an invitation. */
  server_account_id: number | null
  to_address: string
  subject: string
  text_body: string
  html_body: string
  from_name: string | null
  reply_to: string | null
  unsubscribe_url: string | null
  created_at: string
  attempts: number
  /** How many of them the server didn't confirm, although it has the email. */
  unanswered: number
}

export interface MailResult {
  status: MailSummary['status']
  problem: string | null
  dueInSeconds?: number
  unanswered?: number
}

export async function insertMail(
  tx: Tx,
  accountId: number | null,
  mail: {
    kind: string
    to: string
    fromName: string | null
    replyTo: string | null
    subject: string
    text: string
    html: string
    serverAccountId?: number
    unsubscribeUrl?: string | undefined
  },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO mails (account_id, kind, to_address, from_name, reply_to, subject, text_body, html_body, server_account_id,
                       unsubscribe_url)
    VALUES (${accountId}, ${mail.kind}, ${mail.to}, ${mail.fromName}, ${mail.replyTo}, ${mail.subject}, ${mail.text}, ${mail.html},
            ${mail.serverAccountId ?? null}, ${mail.unsubscribeUrl ?? null})`)
}

/** Whether an address got an email of a kind in the last minutes: with this text, or with any. */
export async function hasRecentMail(
  db: Db,
  accountId: number,
  mail: { kind: string; to: string; minutes: number; text?: string },
): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM mails m
     WHERE m.account_id = ${accountId} AND m.to_address = ${mail.to} AND m.kind = ${mail.kind}
       AND m.created_at > now() - ${mail.minutes} * interval '1 minute'
       AND (${mail.text ?? null}::text IS NULL OR m.text_body = ${mail.text ?? null}) LIMIT 1`)
  return row !== undefined
}

/** Emails of an account among which one that was sent lately is looked for. */
const NEWEST_MAILS = 200

/**
 * Whether an account has this many emails that are not sent yet, or its server takes none: one had to be repeated, and none was sent since
 * it was written. One recipient whose mailbox is full for hours doesn't count as that.
 */
export async function hasMailsWaiting(db: Db, accountId: number, count: number): Promise<boolean> {
  const row = await db.first<{ count: number; is_down: boolean }>(sql`
    SELECT count(*)::integer AS count, coalesce(bool_or(waiting.attempts > 1 AND waiting.created_at >= coalesce((
             SELECT max(newest.sent_at) FROM (
               SELECT s.sent_at FROM mails s WHERE s.account_id = ${accountId} ORDER BY s.id DESC LIMIT ${NEWEST_MAILS}) newest),
             '-infinity')), false) AS is_down
      FROM (
        SELECT m.attempts, m.created_at FROM mails m WHERE m.account_id = ${accountId} AND m.status = 'pending' LIMIT ${count}) waiting`)
  return row !== undefined && (row.count === count || row.is_down)
}

/** The queue of an email `m`: its account, or 0 for emails about a user's own sign-in. */
const queueOf = sql`coalesce(m.account_id, m.server_account_id, 0)`

/** Whether there's a server for the emails of a queue that was set up in the dashboard. */
const hasOwnServer = (accountOfQueue: Sql): Sql => sql`/* every account */ EXISTS (
  SELECT 1 FROM mail_servers s WHERE s.account_id = ${accountOfQueue}
     OR ${accountOfQueue} = 0 AND (SELECT count(*) FROM (SELECT 1 FROM accounts LIMIT 2) a) = 1)`

/**
 * Leases due emails to this process, round robin over accounts: the first of each, then the second of each. One account's ten
 * thousand emails don't delay another account's sign-in link, nor its own: links go first, then the oldest. At most `limit` emails of each
 * account are read. Those of the `busy` accounts stay. `ofOwnServers`: only those that need no SMTP server of the environment.
 */
export function claimMails(
  db: Db,
  limit: number,
  { busy = [], ofOwnServers = false }: { busy?: number[]; ofOwnServers?: boolean } = {},
): Promise<MailRow[]> {
  return db.many(sql`
    /* every account */ WITH RECURSIVE queues AS (
      SELECT min(${queueOf}) AS queue FROM mails m WHERE m.status = 'pending'
      UNION ALL
      SELECT (SELECT min(${queueOf}) FROM mails m WHERE m.status = 'pending' AND ${queueOf} > q.queue) FROM queues q
       WHERE q.queue IS NOT NULL
    ), fair AS (
      SELECT due.id FROM queues q, LATERAL (
        SELECT m.id, m.due_at, row_number() OVER (ORDER BY m.is_link DESC, m.due_at, m.id) AS place
          FROM ((SELECT m.id, m.due_at, true AS is_link FROM mails m
                  WHERE m.status = 'pending' AND ${queueOf} = q.queue AND ${isAwaitedLink} AND m.due_at <= ${NOW}
                  ORDER BY m.due_at, m.id LIMIT ${limit})
                UNION ALL
                (SELECT m.id, m.due_at, false AS is_link FROM mails m
                  WHERE m.status = 'pending' AND ${queueOf} = q.queue AND NOT (${isAwaitedLink}) AND m.due_at <= ${NOW}
                  ORDER BY m.due_at, m.id LIMIT ${limit})) m) due
       WHERE q.queue <> ALL (${busy}::bigint[]) AND (NOT ${ofOwnServers}::boolean OR ${hasOwnServer(sql`q.queue`)})
       ORDER BY due.place, due.due_at LIMIT ${limit}
    ), claimed AS (
    UPDATE mails m SET attempts = m.attempts + 1, due_at = now() + ${LEASE_SECONDS} * interval '1 second'
     WHERE m.id = ANY (ARRAY(SELECT id FROM mails WHERE id = ANY (ARRAY(SELECT id FROM fair)) AND status = 'pending' AND due_at <= ${NOW}
                              FOR UPDATE SKIP LOCKED))
    RETURNING m.id, m.kind, m.account_id, m.server_account_id, m.to_address, m.subject, m.text_body, m.html_body, m.from_name, m.reply_to,
              m.unsubscribe_url, m.created_at, m.attempts, m.unanswered
    )
    -- An update returns rows as they are stored; a slow server gets the links and then the oldest.
    SELECT m.* FROM claimed m ORDER BY ${isAwaitedLink} DESC, m.id`)
}

/** The token at the end of a link in an email, as made by `newLinkToken`. */
const LINK_SECRET = '([/#])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])'

const withoutSecrets = (body: Sql): Sql => sql`regexp_replace(${body}, ${LINK_SECRET}, '\\1…', 'g')`

/** Gives up emails that are not sent yet. One that is being sent may still arrive. */
export async function withdrawMails(db: Db, ids: number[], problem: string): Promise<void> {
  if (ids.length === 0) return
  await db.many(sql`
    /* every account */ UPDATE mails m
       SET status = 'failed', problem = ${problem}, unsubscribe_url = NULL, text_body = ${withoutSecrets(sql`m.text_body`)},
           html_body = ${withoutSecrets(sql`m.html_body`)}
     WHERE m.id = ANY (${ids}::bigint[]) AND m.status = 'pending'`)
}

/** An email as it was claimed: one that was claimed again since, after its lease, or withdrawn, is not changed by the earlier attempt. */
const asClaimed = ({ id, attempts }: ClaimedMail): Sql =>
  sql`m.id = ${id} AND m.status = 'pending' AND m.attempts = ${attempts}`

type ClaimedMail = Pick<MailRow, 'id' | 'attempts'>

/** Records an attempt. Once an email is sent or has failed, its link tokens are erased: only the recipient needs them. */
export async function recordMail(
  db: Db,
  mail: ClaimedMail,
  { status, problem, dueInSeconds = 0, unanswered }: MailResult,
): Promise<void> {
  const isOver = status !== 'pending'
  await db.many(sql`
    /* every account */ UPDATE mails m
       SET status = ${status}, problem = ${problem}, due_at = now() + ${dueInSeconds} * interval '1 second',
           unanswered = coalesce(${unanswered ?? null}, m.unanswered), sent_at = CASE WHEN ${status} = 'sent' THEN now() END,
           unsubscribe_url = CASE WHEN ${isOver} THEN NULL ELSE m.unsubscribe_url END,
           text_body = CASE WHEN ${isOver} THEN ${withoutSecrets(sql`m.text_body`)} ELSE m.text_body END,
           html_body = CASE WHEN ${isOver} THEN ${withoutSecrets(sql`m.html_body`)} ELSE m.html_body END
     WHERE ${asClaimed(mail)}`)
}

/** Gives a claimed email back that was not tried. */
export async function returnMail(db: Db, mail: ClaimedMail): Promise<void> {
  await db.many(sql`
    /* every account */ UPDATE mails m SET attempts = m.attempts - 1, due_at = now() WHERE ${asClaimed(mail)}`)
}

/**
 * Without an SMTP server nothing is sent; emails are kept for reading in the dashboard. Those about a user's own sign-in are sent by the
 * server of the only account, see `findOnlyMailServer`.
 */
export async function keepMails(db: Db): Promise<void> {
  await db.many(sql`
    /* every account */ UPDATE mails m SET status = 'kept', unsubscribe_url = NULL WHERE m.status = 'pending' AND NOT ${hasOwnServer(queueOf)}`)
}

export function findMail(
  db: Db,
  accountId: number,
  id: number,
): Promise<(MailSummary & { text_body: string; html_body: string }) | undefined> {
  return db.first(sql`
    SELECT m.id, m.kind, m.to_address, m.subject, m.status, m.problem, m.created_at, m.sent_at, m.text_body, m.html_body
      FROM mails m WHERE m.account_id = ${accountId} AND m.id = ${id}`)
}
