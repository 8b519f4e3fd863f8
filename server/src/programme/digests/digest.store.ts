import type { DigestKind } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** A digest that is turned on, and how far its latest period is sent. */
export interface DigestRow {
  account_id: number
  kind: DigestKind
  time_zone: string
  since: string
  /** The day that the latest one was due; null before the first. */
  due_day: string | null
  after_id: number
  is_done: boolean
}

const columns = sql`d.account_id, d.kind, a.time_zone, d.since, to_char(d.due_day, 'YYYY-MM-DD') AS due_day, d.after_id, d.is_done`

export function listDigests(db: Db): Promise<DigestRow[]> {
  return db.many(sql`
    /* every account */ SELECT ${columns} FROM digests d JOIN accounts a ON a.id = d.account_id WHERE d.is_on ORDER BY d.account_id, d.kind`)
}

/** The same of one account, locked until the transaction ends; undefined if it was turned off, or another process is sending it. */
export function lockDigest(tx: Tx, accountId: number, kind: DigestKind): Promise<DigestRow | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM digests d JOIN accounts a ON a.id = ${accountId}
     WHERE d.account_id = ${accountId} AND d.kind = ${kind} AND d.is_on FOR UPDATE OF d SKIP LOCKED`)
}

/** Records how far a digest is sent, in the transaction of its emails. */
export async function saveDigest(
  tx: Tx,
  accountId: number,
  kind: DigestKind,
  { dueDay, afterId, isDone }: { dueDay: string; afterId: number; isDone: boolean },
): Promise<void> {
  await tx.many(sql`
    UPDATE digests SET due_day = ${dueDay}::date, after_id = ${afterId}, is_done = ${isDone}
     WHERE account_id = ${accountId} AND kind = ${kind}`)
}

/** Turned on again, it counts from now: a period that was due meanwhile is not sent, and neither is one that was sent before. */
export async function turnOnDigest(tx: Tx, accountId: number, kind: DigestKind): Promise<void> {
  await tx.many(sql`
    INSERT INTO digests (account_id, kind) VALUES (${accountId}, ${kind})
    ON CONFLICT (account_id, kind) DO UPDATE SET is_on = true, since = now() WHERE NOT digests.is_on`)
}

export async function turnOffDigest(tx: Tx, accountId: number, kind: DigestKind): Promise<void> {
  await tx.many(sql`UPDATE digests SET is_on = false WHERE account_id = ${accountId} AND kind = ${kind}`)
}

export async function findDigestKinds(db: Db, accountId: number): Promise<DigestKind[]> {
  const rows = await db.many<{ kind: DigestKind }>(sql`
    SELECT d.kind FROM digests d WHERE d.account_id = ${accountId} AND d.is_on`)
  return rows.map(({ kind }) => kind)
}

/** As many as are looked at in one turn, those that are sent next: more are written only when these are sent. */
const MOST_WAITING = 1000

export interface WaitingDigest {
  id: number
  account_id: number
  kind: DigestKind
  to_address: string
  /** No news any more, or turned off. */
  is_over: boolean
}

export function findWaitingDigests(db: Db, latestDays: number): Promise<WaitingDigest[]> {
  return db.many(sql`
    /* every account */
    SELECT m.id, a.id AS account_id, replace(m.kind, '_digest', '') AS kind, m.to_address,
           m.created_at < now() - ${latestDays} * interval '1 day'
             OR NOT EXISTS (SELECT 1 FROM digests d
                             WHERE d.account_id = a.id AND d.kind = replace(m.kind, '_digest', '') AND d.is_on) AS is_over
      FROM mails m JOIN accounts a ON a.id = m.account_id
     WHERE m.status = 'pending' AND m.kind IN ('team_digest', 'affiliate_digest')
     ORDER BY m.due_at LIMIT ${MOST_WAITING}`)
}
