import type { AffiliateNote } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, keyset, sql } from '../../db/sql.ts'
import { rowsAfter } from '../../kit/page.ts'

const columns = sql`n.id, coalesce(u.name, u.email) AS author, n.text, n.created_at`

export function listNotes(
  db: Db,
  accountId: number,
  affiliateId: number,
  query: { after?: number; limit?: number; order?: 'newest' | 'oldest' },
): Promise<AffiliateNote[]> {
  const { from, order } = keyset(sql`n.id`, query)
  return db.many(sql`
    SELECT ${columns} FROM affiliate_notes n JOIN users u ON u.id = n.user_id
     WHERE n.account_id = ${accountId} AND n.affiliate_id = ${affiliateId} AND ${all(from)}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}

export function insertNote(
  tx: Tx,
  accountId: number,
  note: { affiliateId: number; userId: number; text: string },
): Promise<AffiliateNote | undefined> {
  return tx.first(sql`
    WITH n AS (
      INSERT INTO affiliate_notes (account_id, affiliate_id, user_id, text)
      SELECT ${accountId}, a.id, ${note.userId}, ${note.text} FROM affiliates a
       WHERE a.account_id = ${accountId} AND a.id = ${note.affiliateId}
      RETURNING id, user_id, text, created_at
    )
    SELECT ${columns} FROM n JOIN users u ON u.id = n.user_id`)
}

export async function deleteNote(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  id: number,
): Promise<boolean> {
  const deleted = await tx.first(sql`
    DELETE FROM affiliate_notes n
     WHERE n.account_id = ${accountId} AND n.affiliate_id = ${affiliateId} AND n.id = ${id} RETURNING n.id`)
  return deleted !== undefined
}
