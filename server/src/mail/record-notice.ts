import type { Tx } from '../db/database.ts'
import { insertNotices, type Notice } from './notice.store.ts'

/** Notes that affiliates are to be told something, with its cause. The mail is made and sent afterwards, in no request. */
export async function recordNotices(tx: Tx, accountId: number, notices: Notice[]): Promise<void> {
  if (notices.length > 0) await insertNotices(tx, accountId, notices)
}
