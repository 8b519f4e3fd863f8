import type { Db, Tx } from '../../db/database.ts'
import { type Actor, type AuditedChange, insertAudit, sendAudit } from './audit.store.ts'

export type { Actor, AuditedChange }

/** The `token` of an affiliate is no secret: it stands in every link of theirs. */
const isSecret = /secret|password|_token|^key$/i

const LONGEST_TEXT = 1000

/** A file that was sent along is not kept a second time. */
const shortened = (value: unknown) =>
  typeof value === 'string' && value.length > LONGEST_TEXT
    ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)`
    : value

/** What was asked for, without what nobody may read again. */
const fitToKeep = ({ details, ...change }: AuditedChange): AuditedChange => ({
  ...change,
  details: Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, isSecret.test(name) ? '…' : shortened(value)]),
  ),
})

/** Writes down a change that has been made. Where it can be, it is in the transaction of the change: see `audited`. */
export const recordChange = (db: Db, accountId: number, actor: Actor, change: AuditedChange): Promise<void> =>
  insertAudit(db, accountId, actor, fitToKeep(change))

/**
 * Carries out a change and writes down who made it, both or neither. What the change itself does in transactions becomes part
 * of this one.
 */
export function audited<T>(
  db: Db,
  accountId: number,
  actor: Actor,
  work: (tx: Tx) => Promise<T>,
  change: (result: T) => AuditedChange,
): Promise<T> {
  return db.transaction(async tx => {
    const result = await work(tx)
    sendAudit(tx, accountId, actor, fitToKeep(change(result)))
    return result
  })
}
