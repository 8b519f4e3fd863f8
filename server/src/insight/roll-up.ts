import type { Db, Tx } from '../db/database.ts'
import { deleteCohorts, replaceCohortDay } from './cohorts.store.ts'
import { NEVER } from './days.store.ts'
import { failpoint } from './failpoint.ts'
import { findHorizon, type Horizon, lastClosableDay } from './horizon.store.ts'
import { type HorizonWait, passedHorizon, whenPassed } from './horizon.ts'
import {
  addState,
  deleteDaysAfter,
  FACTS_VERSION,
  findDueAccounts,
  findState,
  findStored,
  type InsightState,
  lockState,
  replaceEarnings,
  replaceSourceEarnings,
  replaceSourceVisits,
  replaceVisits,
  saveState,
} from './insight.store.ts'
import { canCountVisits } from './kept-clicks.store.ts'
import { deleteMarksOf, findMarkedDay, markDays, resolveReferralMarks } from './marks.store.ts'
import { completeOpenDay, rollUpOpenDay } from './open-day.ts'
import { keepSources } from './referral-source.store.ts'
import {
  addTotal,
  cutTotals,
  deleteTotals,
  findNextTotal,
  startTotals,
  sumDays,
  thinTotals,
} from './totals.store.ts'

/** The time limit of one run, so that stopping the service does not wait for years of history. */
const RUN_MS = 2000
const PAGE = 200

interface Progress extends HorizonWait {
  /** The last account that had its turn. */
  after: number
}
const progressOf = new WeakMap<Db, Progress>()

/**
 * Moves the end of the closed days forward and marks what happened in between, in one transaction. After a change of the time zone, or
 * to rebuild, it marks every day there is.
 */
export function closeDays(
  db: Db,
  accountId: number,
  { at }: { at: string | undefined },
  { retentionDays, again = false }: { retentionDays: number; again?: boolean },
): Promise<void> {
  return db.transaction(async tx => {
    await addState(tx, accountId)
    const isLocked = await lockState(tx, accountId, { waits: again })
    const state = isLocked ? await findState(tx, accountId) : undefined
    if (!state) return
    const isAnew =
      again ||
      state.rolled_zone !== state.time_zone ||
      !state.has_cohorts ||
      state.facts_version < FACTS_VERSION
    // In another zone the last closed day may not be over yet.
    if (at === undefined && state.rolled_zone !== state.time_zone) return
    const until = at === undefined ? state.closed_until : await lastClosableDay(tx, state.time_zone, at)
    if (!isAnew && until <= state.closed_until) return
    const { closed_until: closedUntil } = state
    const computedUntil =
      isAnew || at === undefined
        ? NEVER
        : await completeOpenDay(tx, accountId, { at, closedUntil, retentionDays })
    if (computedUntil < until)
      await markDays(tx, accountId, { after: computedUntil, until, zone: state.time_zone, retentionDays })
    if (isAnew) {
      await deleteTotals(tx, accountId)
      // Of the days since, a part at most was counted.
      await deleteDaysAfter(tx, accountId, until < closedUntil ? until : closedUntil)
      await deleteCohorts(tx, accountId)
    }
    if (again) await sumDays(tx, accountId)
    failpoint('days marked')
    await saveState(tx, accountId, { closedUntil: until, zone: state.time_zone })
  })
}

/** Adds one more total, if its days are closed. */
async function addNextTotal(tx: Tx, accountId: number, state: InsightState): Promise<boolean> {
  if (state.closed_until === NEVER) return false
  if (!state.has_totals) await startTotals(tx, accountId)
  const next = await findNextTotal(tx, accountId)
  if (!next) return false
  await addTotal(tx, accountId, next)
  await thinTotals(tx, accountId, next.until)
  failpoint('total added')
  return true
}

/**
 * Computes one marked day again, with the removal of its marks in the same transaction, or finds the days of many marked referrals; if
 * nothing is marked, it adds a total. Returns what it did, or undefined if there is nothing to do.
 */
export function rollUpDay(
  db: Db,
  accountId: number,
  retentionDays: number,
  { waits = false }: { waits?: boolean } = {},
): Promise<'marks' | 'day' | 'total' | undefined> {
  return db.transaction(async tx => {
    // Locked before the marks are read: another process may be computing the same day.
    const isLocked = await lockState(tx, accountId, { waits })
    const state = isLocked ? await findState(tx, accountId) : undefined
    if (!state || state.rolled_zone !== state.time_zone) return undefined
    const zone = state.time_zone
    if (await resolveReferralMarks(tx, accountId, state)) return 'marks'
    const day = await findMarkedDay(tx, accountId, zone)
    if (day === undefined) return (await addNextTotal(tx, accountId, state)) ? 'total' : undefined
    await cutTotals(tx, accountId, zone)
    const { withVisits } = await deleteMarksOf(tx, accountId, day)
    failpoint('marks taken')
    // A day that is still open is computed when it closes.
    if (day.day > state.closed_until) return 'marks'
    await keepSources(tx, accountId, day)
    const stored = await findStored(tx, accountId, day)
    await replaceEarnings(tx, accountId, day, stored)
    await replaceSourceEarnings(tx, accountId, day)
    failpoint('earnings replaced')
    await replaceCohortDay(tx, accountId, day)
    failpoint('cohorts replaced')
    if (!withVisits || !(await canCountVisits(tx, accountId, day, retentionDays))) return 'day'
    await replaceVisits(tx, accountId, day, stored)
    await replaceSourceVisits(tx, accountId, day)
    return 'day'
  })
}

/**
 * Closes the days that are over and computes what has changed, one day of each account in turn, so that a long history does not hold up
 * the other accounts; the next run goes on where this one ends. Any number of processes may do so at once: an account's roll-ups are
 * locked, and everything that a crash undoes is done by the next run. One account that fails does not hold up the others.
 */
export async function rollUp(db: Db, retentionDays: number, runMs = RUN_MS): Promise<void> {
  const deadline = performance.now() + runMs
  const progress = progressOf.get(db) ?? { after: 0 }
  progressOf.set(db, progress)
  const failures = new Map<number, unknown>()
  let { after } = progress
  let isPartial = after > 0
  let hasWorked = false
  // Asked for only if there is a day to close: what is marked is computed whatever else is open.
  let horizon: Promise<Horizon | undefined> | undefined
  let isOver = false
  while (!isOver) {
    const due = await findDueAccounts(db, after, PAGE)
    for (const { id, closes } of due) {
      after = id
      progress.after = id
      if (failures.has(id)) continue
      try {
        if (closes) {
          horizon ??= passedHorizon(db, progress)
          const passed = await horizon
          if (passed) await closeDays(db, id, passed, { retentionDays })
        }
        if (await rollUpDay(db, id, retentionDays)) hasWorked = true
      } catch (error) {
        failures.set(id, error)
      }
      isOver = performance.now() > deadline
      if (isOver) break
    }
    if (isOver || due.length === PAGE) continue
    after = 0
    progress.after = 0
    if (!hasWorked && !isPartial) break
    hasWorked = false
    isPartial = false
  }
  if (failures.size > 0)
    throw new AggregateError([...failures.values()], `Failed to roll up ${failures.size} accounts.`)
}

/** Computes every day of an account again, whose raw rows are still there. */
export async function rebuild(db: Db, accountId: number, retentionDays: number): Promise<number> {
  const horizon = await findHorizon(db)
  const hasHorizon = await whenPassed(db, horizon, performance.now() + RUN_MS)
  await closeDays(db, accountId, { at: hasHorizon ? horizon.at : undefined }, { retentionDays, again: true })
  let days = 0
  for (;;) {
    const done = await rollUpDay(db, accountId, retentionDays, { waits: true })
    if (done === 'day') days++
    if (!done) break
  }
  if (hasHorizon) await rollUpOpenDay(db, accountId, horizon.at)
  return days
}
