import type { Db } from '../../db/database.ts'
import { readSnapshot } from '../../db/snapshot.ts'
import { notFound } from '../../kit/domain-error.ts'
import { findHead, streamItems } from './payout.store.ts'
import type { ItemDetail, PayoutHead, SubmissionDetail } from './payout.ts'
import { submissionsOf } from './submission.store.ts'

/** A payout with its submissions. `read` receives the items in pages, from the same snapshot. */
export function showPayout<T>(
  db: Db,
  accountId: number,
  id: number,
  read: (
    payout: PayoutHead & { submissions: SubmissionDetail[] },
    pages: AsyncGenerator<ItemDetail[]>,
  ) => Promise<T>,
): Promise<T> {
  return readSnapshot(db, async tx => {
    const head = await findHead(tx, accountId, id)
    if (!head) throw notFound('payout')
    const submissions = await submissionsOf(tx, accountId, id)
    return read({ ...head, submissions }, streamItems(tx, accountId, id))
  })
}
