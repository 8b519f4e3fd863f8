import { exploreSources } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../db/database.ts'
import { hashManyRows } from './asking.store.ts'
import { replaceCohortDay } from './cohorts.store.ts'
import { failpoint } from './failpoint.ts'
import { type HorizonWait, passedHorizon } from './horizon.ts'
import {
  addSourceEarnings,
  addSourceVisits,
  deleteDaysAfter,
  findStored,
  lockState,
  replaceEarnings,
  replaceSourceEarnings,
  replaceSourceVisits,
  replaceVisits,
} from './insight.store.ts'
import { areClicksKept } from './kept-clicks.store.ts'
import {
  addEarnings,
  addVisits,
  findOpenAccounts,
  findOpenDay,
  findSourcesWithPart,
  type OpenDay,
  saveOpenUntil,
} from './open-day.store.ts'
import { keepSources } from './referral-source.store.ts'
import { isSome } from './source-rows.store.ts'

/**
 * Clicks, conversions, sales and commissions that every question reads in some milliseconds. To roll up fewer costs more than it saves: a
 * step takes about 30 ms, however few it adds.
 */
const STEP_FACTS = 1000
const RUN_MS = 2000
const PAGE = 200

/** Adds a part of the day to what is stored of it. */
async function addPart(tx: Tx, accountId: number, { day, starts }: OpenDay, from: string, until: string) {
  const rest = { day, starts: from, ends: until, seenFrom: starts }
  hashManyRows(tx)
  await keepSources(tx, accountId, rest)
  await addEarnings(tx, accountId, rest)
  await addVisits(tx, accountId, rest)
  const dimensions = await findSourcesWithPart(tx, accountId, day)
  if (!isSome(dimensions)) return
  await addSourceEarnings(tx, accountId, rest, dimensions)
  await addSourceVisits(tx, accountId, rest, dimensions)
}

/** Rolls up the open day of an account further. What has changed since it was rolled up is counted again from the day's start. */
export function advanceOpenDay(db: Db, accountId: number, at: string): Promise<boolean> {
  return db.transaction(async tx => {
    // Locked before the stored facts are read: another process may be adding to them.
    if (!(await lockState(tx, accountId, { waits: false }))) return false
    const open = await findOpenDay(tx, accountId, at)
    if (!open?.is_due) return false
    const { day, starts, counted_until: countedUntil, until } = open
    if (countedUntil === null) {
      const part = { day, starts, ends: until }
      const stored = await findStored(tx, accountId, part)
      await keepSources(tx, accountId, part)
      await replaceEarnings(tx, accountId, part, stored)
      await replaceVisits(tx, accountId, part, stored)
      await replaceSourceEarnings(tx, accountId, part)
      await replaceSourceVisits(tx, accountId, part)
    } else await addPart(tx, accountId, open, countedUntil, until)
    failpoint('open day counted')
    await saveOpenUntil(tx, accountId, until)
    return true
  })
}

/** Computes of a closed day what has no part. */
async function addWithoutPart(tx: Tx, accountId: number, { day, starts, ends }: OpenDay): Promise<void> {
  const whole = { day, starts, ends }
  const withPart = new Set(await findSourcesWithPart(tx, accountId, day))
  const others = exploreSources.filter(dimension => !withPart.has(dimension))
  if (isSome(others)) {
    await replaceSourceEarnings(tx, accountId, whole, others)
    await replaceSourceVisits(tx, accountId, whole, others)
  }
  await replaceCohortDay(tx, accountId, whole)
}

/**
 * Before days are closed, makes what is stored of the open day that of the whole day. Returns the last day that doesn't have to be computed
 * after that: this one, unless it has changed, or clicks of it are gone.
 */
export async function completeOpenDay(
  tx: Tx,
  accountId: number,
  { at, closedUntil, retentionDays }: { at: string; closedUntil: string; retentionDays: number },
): Promise<string> {
  const open = await findOpenDay(tx, accountId, at)
  if (!open?.counted_until) {
    await deleteDaysAfter(tx, accountId, closedUntil)
    return closedUntil
  }
  if (!(await areClicksKept(tx, accountId, open, retentionDays))) return closedUntil
  await addPart(tx, accountId, open, open.counted_until, open.ends)
  await addWithoutPart(tx, accountId, open)
  return open.day
}

interface Progress extends HorizonWait {
  /** The last account that had its turn. */
  after: number
}
const progressOf = new WeakMap<Db, Progress>()

/**
 * Rolls up the open days of busy accounts, which every question about today would read from the raw rows. Nothing that leaves no mark may
 * change before an hour ago: as for closed days, every transaction that could have written it has ended. One account that fails does not
 * hold up the others.
 */
export async function rollUpOpenDays(
  db: Db,
  { stepFacts = STEP_FACTS }: { stepFacts?: number } = {},
): Promise<void> {
  const deadline = performance.now() + RUN_MS
  const progress = progressOf.get(db) ?? { after: 0 }
  progressOf.set(db, progress)
  const failures: unknown[] = []
  while (performance.now() < deadline) {
    const due = await findOpenAccounts(db, { after: progress.after, stepFacts, limit: PAGE })
    const horizon = due.length > 0 ? await passedHorizon(db, progress) : undefined
    if (horizon === undefined) {
      progress.after = 0
      break
    }
    for (const id of due) {
      progress.after = id
      await advanceOpenDay(db, id, horizon.at).catch(error => failures.push(error))
      if (performance.now() > deadline) break
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Failed to roll up ${failures.length} open days.`)
}

/** The open day of one account, if it is busy. */
export async function rollUpOpenDay(db: Db, accountId: number, at: string): Promise<void> {
  const [id] = await findOpenAccounts(db, { accountId, stepFacts: STEP_FACTS, limit: 1 })
  if (id !== undefined) await advanceOpenDay(db, id, at)
}
