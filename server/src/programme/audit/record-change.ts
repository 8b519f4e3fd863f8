import type { Db, TransactionOptions, Tx } from '../../db/database.ts'
import { type Actor, type AuditedChange, insertAudit, sendAudit } from './audit.store.ts'

export type { Actor, AuditedChange }

/** An affiliate's `token` is not a secret: it is part of their links. */
const isSecret = /secret|password|_token|(^|_)key$/i

const LONGEST_TEXT = 1000

/** Uploaded files are not stored a second time. */
const shortened = (value: unknown) =>
  typeof value === 'string' && value.length > LONGEST_TEXT
    ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)`
    : value

/** The request body without secrets and files. */
const fitToKeep = ({ details, ...change }: AuditedChange): AuditedChange => ({
  ...change,
  details: Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, isSecret.test(name) ? '…' : shortened(value)]),
  ),
})

/** Records a change in the audit log, in the transaction of the change if possible: see `audited`. */
export const recordChange = (db: Db, accountId: number, actor: Actor, change: AuditedChange): Promise<void> =>
  insertAudit(db, accountId, actor, fitToKeep(change))

/** Makes a change and records it in the audit log atomically. Transactions inside the change become part of this one. */
export function audited<T>(
  db: Db,
  accountId: number,
  actor: Actor,
  work: (tx: Tx) => Promise<T>,
  change: (result: T) => AuditedChange,
  options: TransactionOptions = {},
): Promise<T> {
  return db.transaction(async tx => {
    const result = await work(tx)
    sendAudit(tx, accountId, actor, fitToKeep(change(result)))
    return result
  }, options)
}
