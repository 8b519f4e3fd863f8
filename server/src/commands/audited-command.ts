import { userInfo } from 'node:os'
import type { Db, Tx } from '../db/database.ts'
import { type Actor, type AuditedChange, audited, recordChange } from '../programme/audit/record-change.ts'

/** Whoever may run commands on the machine. A container may run them as a number that no user has. */
function operator(): Actor {
  let name = 'unknown'
  try {
    name = userInfo().username
  } catch {
    // There is no such user; the line is written all the same.
  }
  return { kind: 'command', id: null, name, address: null }
}

/** Carries out a command's change to an account and writes down who ran it, both or neither. */
export const auditedCommand = <T>(
  db: Db,
  accountId: number,
  work: (tx: Tx) => Promise<T>,
  change: (result: T) => AuditedChange,
): Promise<T> => audited(db, accountId, operator(), work, change)

/** Writes down what has been done already, for what takes several transactions on purpose or asks somebody outside. */
export const recordCommand = (db: Db, accountId: number, change: AuditedChange): Promise<void> =>
  recordChange(db, accountId, operator(), change)
