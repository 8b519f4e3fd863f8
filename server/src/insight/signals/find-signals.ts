import type { SignalKind } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { disposableDomains } from './disposable-domains.ts'
import { findEmailsAt, findSharedNetworks, findSharedPayoutAddresses } from './identity-facts.store.ts'
import { disposableEmail, sharedNetwork, sharedPayoutAddress } from './identity-rules.ts'
import {
  claimCheck,
  closeOthers,
  countDecided,
  findUncheckedAccounts,
  lockSignals,
  noteStillFound,
  saveFound,
} from './signal.store.ts'
import type { Found } from './signal.ts'
import {
  findConversions,
  findPaidClicks,
  findPeaks,
  findSignalDays,
  MOST_FOUND,
  MOST_SEARCHED,
} from './traffic-facts.store.ts'
import { clickVelocity, conversionRate, instantSales, paidSearch } from './traffic-rules.ts'

/** How long an account is left alone after a search. */
const MINUTES_APART = 15
/** The time limit of one run, so that stopping the service does not wait for every account. */
const RUN_MS = 2000
const PAGE = 100

/** What a rule finds in the facts of a kind. They are all there are unless they reach the limit. */
const by = <Fact>(
  kind: SignalKind,
  facts: Fact[],
  rule: (fact: Fact) => Found | undefined,
  limit: number,
) => ({ kind, isWhole: facts.length < limit, found: facts.map(fact => rule(fact)) })

interface Findings {
  /** At most one of a kind for an affiliate and campaign. */
  found: Found[]
  /** The kinds of which no limit left any out. */
  wholeKinds: SignalKind[]
}

async function findAll(tx: Tx, accountId: number, moreDomains: string[]): Promise<Findings> {
  const days = await findSignalDays(tx, accountId)
  if (!days) return { found: [], wholeKinds: [] }
  const domains = new Set([...disposableDomains, ...moreDomains])
  // What has been decided is found again, and must not leave out the rest.
  const decided = await countDecided(tx, accountId)
  const most = (...kinds: SignalKind[]) =>
    kinds.reduce((sum, kind) => sum + (decided.get(kind) ?? 0), MOST_FOUND)
  const mostConversions = most('conversion_rate', 'instant_sales')
  const conversions = await findConversions(tx, accountId, days, mostConversions)
  const find = async <Fact>(
    kind: SignalKind,
    facts: (limit: number) => Promise<Fact[]>,
    rule: (fact: Fact) => Found | undefined,
  ) => by(kind, await facts(most(kind)), rule, most(kind))
  const searched = [
    await find('click_velocity', limit => findPeaks(tx, accountId, days, limit), clickVelocity),
    by('conversion_rate', conversions, conversionRate, mostConversions),
    by('instant_sales', conversions, instantSales, mostConversions),
    by('paid_search', await findPaidClicks(tx, accountId, days), paidSearch, MOST_SEARCHED),
    await find('shared_network', limit => findSharedNetworks(tx, accountId, limit), sharedNetwork),
    await find(
      'shared_payout_address',
      limit => findSharedPayoutAddresses(tx, accountId, limit),
      sharedPayoutAddress,
    ),
    await find(
      'disposable_email',
      limit => findEmailsAt(tx, accountId, [...domains], limit),
      each => disposableEmail(each, domains),
    ),
  ]
  return {
    found: searched.flatMap(({ found }) => found.filter(each => each !== undefined)),
    wholeKinds: searched.filter(({ isWhole }) => isWhole).map(({ kind }) => kind),
  }
}

/**
 * Searches an account and updates its signals: claims it, reads, and writes, each in a transaction, so that a long search holds no lock.
 * False if another process has claimed it within the minutes.
 */
export async function findSignalsOf(
  db: Db,
  accountId: number,
  { moreDomains = [], minutes = 0 }: { moreDomains?: string[]; minutes?: number } = {},
): Promise<boolean> {
  if (!(await claimCheck(db, accountId, { minutes }))) return false
  const { found, wholeKinds } = await db.transaction(tx => findAll(tx, accountId, moreDomains))
  await db.transaction(async tx => {
    await lockSignals(tx, accountId)
    if (found.length > 0) await saveFound(tx, accountId, found)
    await noteStillFound(tx, accountId, found)
    await closeOthers(tx, accountId, found, wholeKinds)
  })
  return true
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
