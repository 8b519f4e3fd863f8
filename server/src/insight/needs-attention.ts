import type { Waiting } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { findWaiting } from '../earning/overview/overview.store.ts'
import { countOpenSignals } from './signals/signal-list.store.ts'

/** What needs attention, with the signs of fraud that are found above the rest. */
export const countWaiting = async (db: Db, accountId: number): Promise<Waiting> => ({
  ...(await findWaiting(db, accountId)),
  signals_to_review: await countOpenSignals(db, accountId),
})
