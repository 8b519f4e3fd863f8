import type { Tx } from '../../db/database.ts'
import { insertNotices, type Notice } from './notice.store.ts'

/** Records notices in the transaction of their cause. A background routine renders them (`portal/notices`). */
export async function recordNotices(tx: Tx, accountId: number, notices: Notice[]): Promise<void> {
  if (notices.length > 0) await insertNotices(tx, accountId, notices)
}
