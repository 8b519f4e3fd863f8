import type { Db } from '../db/database.ts'
import { findHorizon, type Horizon, hasPassed } from './horizon.store.ts'

const HORIZON_WAIT_MS = 200
const HORIZON_CHECKS_APART_MS = 20

/** What a run leaves to the next one of its process. */
export interface HorizonWait {
  /** A horizon that had not passed yet. A new one each time might never pass: some transaction is always open. */
  horizon?: Horizon | undefined
}

/**
 * A report of recent business leaves no mark, so a day is closed only when every transaction that could have written such a row has ended.
 * They take milliseconds; if one takes longer, the day stays open, is read from the raw rows, and is closed by a later run.
 */
export async function whenPassed(db: Db, horizon: Horizon, deadline: number): Promise<boolean> {
  while (!(await hasPassed(db, horizon))) {
    if (performance.now() > deadline) return false
    await new Promise(resolve => setTimeout(resolve, HORIZON_CHECKS_APART_MS))
  }
  return true
}

/** The horizon of an earlier run or a new one, if it has passed. */
export async function passedHorizon(db: Db, wait: HorizonWait): Promise<Horizon | undefined> {
  const horizon = wait.horizon ?? (await findHorizon(db))
  const hasHorizon = await whenPassed(db, horizon, performance.now() + HORIZON_WAIT_MS)
  wait.horizon = hasHorizon ? undefined : horizon
  return hasHorizon ? horizon : undefined
}
