import type { Tx } from '../../db/database.ts'
import { insertNotices, type Notice } from './notice.store.ts'

/** Records notices in the transaction of their cause. The mails are written afterwards (`portal/notices`), in no request. */
export async function recordNotices(tx: Tx, accountId: number, notices: Notice[]): Promise<void> {
  if (notices.length > 0) await insertNotices(tx, accountId, notices)
}
