import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** Null for an account from before checklists were dismissed. */
export async function isChecklistDismissed(db: Db, accountId: number): Promise<boolean | null> {
  const row = await db.first<{ checklist_dismissed: boolean | null }>(sql`
    SELECT checklist_dismissed FROM accounts WHERE id = ${accountId}`)
  return row?.checklist_dismissed ?? null
}

export async function dismissChecklist(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`UPDATE accounts SET checklist_dismissed = true WHERE id = ${accountId}`)
}
