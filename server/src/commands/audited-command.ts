import { userInfo } from 'node:os'
import type { Db, Tx } from '../db/database.ts'
import { type Actor, type AuditedChange, audited, recordChange } from '../programme/audit/record-change.ts'

/** The operating-system user that runs the command. A container may run it under a uid that has no user. */
function operator(): Actor {
  let name = 'unknown'
  try {
    name = userInfo().username
  } catch {
    // The uid has no user; the entry is written anyway.
  }
  return { kind: 'command', id: null, name, address: null }
}

/** Runs a command's change to an account and records who ran it, in one transaction. */
export const auditedCommand = <T>(
  db: Db,
  accountId: number,
  work: (tx: Tx) => Promise<T>,
  change: (result: T) => AuditedChange,
): Promise<T> => audited(db, accountId, operator(), work, change)

/** Records a change that has already been made, where it takes several transactions on purpose or calls an external service. */
export const recordCommand = (db: Db, accountId: number, change: AuditedChange): Promise<void> =>
  recordChange(db, accountId, operator(), change)
