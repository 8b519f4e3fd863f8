import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { isAwaitedLink } from '../awaited-link.store.ts'

/** An email to an affiliate that is not rendered yet. Without an affiliate, it goes to an address entered in a form. */
export interface Notice {
  kind: string
  affiliateId: number | null
  details: object
}

export interface NoticeRow {
  account_id: number
  id: number
  kind: string
  affiliate_id: number | null
  details: Record<string, unknown>
}

export async function insertNotices(tx: Tx, accountId: number, notices: Notice[]): Promise<void> {
  await tx.many(sql`
    INSERT INTO notices (account_id, kind, affiliate_id, details)
    SELECT ${accountId}, given.* FROM unnest(${notices.map(({ kind }) => kind)}::text[],
      ${notices.map(({ affiliateId }) => affiliateId)}::bigint[],
      ${notices.map(({ details }) => JSON.stringify(details))}::jsonb[]) AS given`)
}

/** A WITH query that records notices beside the statement that writes their cause: one for each row of the WITH query `causes`. */
export const noted = (accountId: number, kind: string): Sql => sql`
  noted AS (
    INSERT INTO notices (account_id, kind, affiliate_id, details)
    SELECT ${accountId}, ${kind}::text, n.affiliate_id, n.details FROM causes n
  )`

/**
 * Locks the first notices for the transaction, round robin over accounts, except the given ids: links, then the oldest. Both are looked up
 * apart, so that at most `limit` of each are read. An advisory lock admits one process at a time, because limits per address depend on what was written before: no email is written twice, and no address is flooded.
 */
export async function takeNotices(tx: Tx, limit: number, except: number[]): Promise<NoticeRow[]> {
  const turn = await tx.first<{ locked: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended('notices', 0)) AS locked`,
  )
  if (!turn?.locked) return []
  return tx.many(sql`
    /* every account */ WITH RECURSIVE noted AS (
      SELECT min(account_id) AS account_id FROM notices
      UNION ALL
      SELECT (SELECT min(n.account_id) FROM notices n WHERE n.account_id > noted.account_id) FROM noted
       WHERE noted.account_id IS NOT NULL)
    SELECT first.account_id, first.id, first.kind, first.affiliate_id, first.details FROM noted, LATERAL (
      SELECT n.*, row_number() OVER (ORDER BY ${isAwaitedLink} DESC, n.id) AS place FROM (
        (SELECT * FROM notices n WHERE n.account_id = noted.account_id AND n.id <> ALL (${except}::bigint[]) AND ${isAwaitedLink}
          ORDER BY n.id LIMIT ${limit})
        UNION ALL
        (SELECT * FROM notices n WHERE n.account_id = noted.account_id AND n.id <> ALL (${except}::bigint[]) AND NOT (${isAwaitedLink})
          ORDER BY n.id LIMIT ${limit})) n) first
     ORDER BY first.place, first.account_id LIMIT ${limit}`)
}

export async function deleteNotices(tx: Tx, notices: NoticeRow[]): Promise<void> {
  await tx.many(sql`
    /* every account */ DELETE FROM notices WHERE (account_id, id) IN (
      SELECT * FROM unnest(${notices.map(notice => notice.account_id)}::bigint[], ${notices.map(({ id }) => id)}::bigint[]))`)
}

/** How many emails of a kind an address got lately, so that a public form can't be used to flood an inbox. */
export async function countMailsTo(
  db: Db,
  accountId: number,
  kind: string,
  address: string,
  withinSeconds: number,
): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM mails m
     WHERE m.account_id = ${accountId} AND m.to_address = ${address} AND m.created_at > now() - make_interval(secs => ${withinSeconds})
       AND m.kind = ${kind}`)
  return row?.count ?? 0
}
