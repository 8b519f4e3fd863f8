import type { DigestKind } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'

/** A team member or an affiliate who gets a digest. */
export interface Subscriber {
  id: number
  email: string
}

/** The next subscribers by id. A rejected affiliate can't sign in, and an applicant has nothing to read about. */
export function listSubscribers(
  db: Db,
  accountId: number,
  { kind, afterId, limit }: { kind: DigestKind; afterId: number; limit: number },
): Promise<Subscriber[]> {
  return kind === 'team'
    ? db.many(sql`
        SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id
         WHERE m.account_id = ${accountId} AND m.wants_digest AND m.user_id > ${afterId} ORDER BY m.user_id LIMIT ${limit}`)
    : db.many(sql`
        SELECT a.id, a.email FROM affiliates a
         WHERE a.account_id = ${accountId} AND a.status = 'approved' AND a.wants_digest AND a.id > ${afterId}
         ORDER BY a.id LIMIT ${limit}`)
}

/** Which of these people of an account still get a digest, by email. */
export async function stillSubscribed(
  db: Db,
  accountId: number,
  kind: DigestKind,
  emails: string[],
): Promise<Set<string>> {
  const keys = emails.map(emailKey)
  const rows = await db.many<{ email: string }>(
    kind === 'team'
      ? sql`
        SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
         WHERE m.account_id = ${accountId} AND m.wants_digest`
      : sql`
        SELECT a.email FROM affiliates a
         WHERE a.account_id = ${accountId} AND a.email_key = ANY (${keys}::text[]) AND a.status = 'approved' AND a.wants_digest`,
  )
  const kept = new Set(rows.map(({ email }) => emailKey(email)))
  return new Set(emails.filter(email => kept.has(emailKey(email))))
}

export async function isSubscribed(db: Db, accountId: number, userId: number): Promise<boolean> {
  const row = await db.first<{ wants_digest: boolean }>(sql`
    SELECT m.wants_digest FROM memberships m WHERE m.account_id = ${accountId} AND m.user_id = ${userId}`)
  return row?.wants_digest ?? false
}

/** Subscribes or unsubscribes a member or an affiliate; undefined if they are gone, or nothing changes. */
export function saveSubscription(
  tx: Tx,
  accountId: number,
  { kind, id, isSubscribed: wants }: { kind: DigestKind; id: number; isSubscribed: boolean },
): Promise<{ email: string } | undefined> {
  return kind === 'team'
    ? tx.first(sql`
        UPDATE memberships m SET wants_digest = ${wants} FROM users u
         WHERE m.account_id = ${accountId} AND m.user_id = ${id} AND m.wants_digest <> ${wants} AND u.id = m.user_id
        RETURNING u.email`)
    : tx.first(sql`
        UPDATE affiliates a SET wants_digest = ${wants}
         WHERE a.account_id = ${accountId} AND a.id = ${id} AND a.wants_digest <> ${wants} RETURNING a.email`)
}
