import type { Db, Tx } from '../../db/database.ts'
import { disposableDomains } from './disposable-domains.ts'
import { findEmailsAt, findSharedNetworks, findSharedPayoutAddresses } from './identity-facts.store.ts'
import { disposableEmail, sharedNetwork, sharedPayoutAddress } from './identity-rules.ts'
import {
  closeOthers,
  findUncheckedAccounts,
  lockCheck,
  lockOpenSignals,
  noteChecked,
  saveFound,
} from './signal.store.ts'
import { type Found, scoreOf } from './signal.ts'
import { findConversions, findPaidClicks, findPeaks, findSignalDays } from './traffic-facts.store.ts'
import { clickVelocity, conversionRate, instantSales, paidSearch } from './traffic-rules.ts'

/** How long an account is left alone after a search. */
const MINUTES_APART = 15
/** The time limit of one run, so that stopping the service does not wait for every account. */
const RUN_MS = 2000
const PAGE = 100

/** What the rules find, at most one of a kind for an affiliate: of several campaigns, the one with the highest score. */
async function findAll(tx: Tx, accountId: number, moreDomains: string[]): Promise<Found[]> {
  const days = await findSignalDays(tx, accountId)
  if (!days) return []
  const domains = new Set([...disposableDomains, ...moreDomains])
  const conversions = await findConversions(tx, accountId, days)
  const found = [
    ...(await findPeaks(tx, accountId, days)).map(clickVelocity),
    ...conversions.map(conversionRate),
    ...conversions.map(instantSales),
    ...(await findPaidClicks(tx, accountId, days)).map(paidSearch),
    ...(await findSharedNetworks(tx, accountId)).map(sharedNetwork),
    ...(await findSharedPayoutAddresses(tx, accountId)).map(sharedPayoutAddress),
    ...(await findEmailsAt(tx, accountId, [...domains])).map(each => disposableEmail(each, domains)),
  ]
  const highest = new Map<string, Found>()
  for (const each of found) {
    if (!each) continue
    const key = `${each.affiliateId} ${each.kind}`
    const known = highest.get(key)
    if (!known || scoreOf(each) > scoreOf(known)) highest.set(key, each)
  }
  return [...highest.values()]
}

/**
 * Searches an account and updates its signals, in one transaction under the lock of the account's row. False if another process is at it,
 * or has done it within the minutes.
 */
export function findSignalsOf(
  db: Db,
  accountId: number,
  { moreDomains = [], minutes = 0 }: { moreDomains?: string[]; minutes?: number } = {},
): Promise<boolean> {
  return db.transaction(async tx => {
    if (!(await lockCheck(tx, accountId, { minutes }))) return false
    const found = await findAll(tx, accountId, moreDomains)
    await lockOpenSignals(tx, accountId)
    if (found.length > 0) await saveFound(tx, accountId, found)
    await closeOthers(tx, accountId, found)
    noteChecked(tx, accountId)
    return true
  })
}

/** Searches the accounts that are due, for a while; the next run goes on. One that fails does not hold up the others. */
export async function findSignals(db: Db, moreDomains: string[], runMs = RUN_MS): Promise<void> {
  const deadline = performance.now() + runMs
  const failures: unknown[] = []
  for (const { id } of await findUncheckedAccounts(db, { minutes: MINUTES_APART, limit: PAGE })) {
    await findSignalsOf(db, id, { moreDomains, minutes: MINUTES_APART }).catch(error => failures.push(error))
    if (performance.now() > deadline) break
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Failed to find the signals of ${failures.length} accounts.`)
}
