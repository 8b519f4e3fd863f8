import type { AuditEntry } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { rowsAfter } from '../../kit/page.ts'

/** An entry as stored; views add the names of what it mentions. */
export type AuditRow = Omit<AuditEntry, 'subject_kind' | 'objects'>

/** The actor: a dashboard user, an API key, or the operator on the command line. */
export interface Actor {
  kind: AuditEntry['actor_kind']
  id: number | null
  /** Omitted for a key, whose name is looked up. */
  name?: string
  address: string | null
}

export interface AuditedChange {
  action: string
  subjectId: number | null
  details: object
}

const insertion = (accountId: number, actor: Actor, change: AuditedChange): Sql => sql`
    INSERT INTO audit_log (account_id, actor_kind, actor_id, actor_name, address, action, subject_id, details)
    VALUES (${accountId}, ${actor.kind}, ${actor.id},
            coalesce(${actor.name ?? null}, (SELECT k.name FROM api_keys k WHERE k.account_id = ${accountId} AND k.id = ${actor.id}), '?'),
            ${actor.address}, ${change.action}, ${change.subjectId}, ${JSON.stringify(change.details)})`

export async function insertAudit(
  db: Db,
  accountId: number,
  actor: Actor,
  change: AuditedChange,
): Promise<void> {
  await db.many(insertion(accountId, actor, change))
}

/** The same without awaiting the result: the commit fails if it did. */
export const sendAudit = (tx: Tx, accountId: number, actor: Actor, change: AuditedChange): void =>
  tx.send(insertion(accountId, actor, change))

export function listAudit(
  db: Db,
  accountId: number,
  query: {
    after?: number
    limit?: number
    order?: 'newest' | 'oldest'
    actor_kind?: string
    action?: string
    subject_id?: number
  },
): Promise<AuditRow[]> {
  const { from, order } = keyset(sql`a.id`, query)
  const filters = all(
    from,
    when(query.actor_kind, kind => sql`a.actor_kind = ${kind}`),
    when(query.action, action => sql`a.action = ${action}`),
    when(query.subject_id, id => sql`a.subject_id = ${id}`),
  )
  return db.many(sql`
    SELECT a.id, a.actor_kind, a.actor_id, a.actor_name, a.address, a.action, a.subject_id, a.details, a.created_at
      FROM audit_log a WHERE a.account_id = ${accountId} AND ${filters}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}
