import { Batches } from '../kit/batches.ts'
import { isUnavailable, isUndone, poolTimeout } from './failures.ts'
import { type Outcome, runTogether, type Work } from './group-member.ts'
import type { TransactionOptions } from './transaction.ts'

/** More would hold their locks for longer than a commit takes. */
const MOST_TOGETHER = 32

type Transact = <T>(work: Work<T>) => Promise<T>

interface Grouped {
  accountId: number
  key: string
  work: Work<unknown>
  /** It fails if its turn comes later than this, as if it had waited for a connection. */
  latestAt: number
}

/**
 * Runs transactions that arrive together as one: they share its round trips, its commit, and the locks on the rows that they all refer to.
 * One group at a time: the next one gathers meanwhile. One that fails before it has written anything leaves the others alone. If the shared one fails, or
 * has to wait for a lock, each is repeated alone.
 */
export class GroupCommit {
  readonly #groups: Batches<Grouped, Outcome>
  readonly #alone: Transact
  readonly #mostWaitMs: number
  /** The end of the last one of each key. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(together: Transact, alone: Transact, mostWaitMs: number) {
    this.#groups = new Batches(
      group => commitTogether(together, group),
      MOST_TOGETHER,
      ({ accountId }) => accountId,
    )
    this.#alone = alone
    this.#mostWaitMs = mostWaitMs
  }

  /** Two with the same key would wait for the same lock: the second enters a group when the first has ended. */
  async add<T>(
    { accountId, key }: Omit<NonNullable<TransactionOptions['groupCommit']>, 'kind'>,
    work: Work<T>,
  ): Promise<T> {
    const latestAt = performance.now() + this.#mostWaitMs
    const before = this.#last.get(key)
    const result = this.#run({ accountId, key, work, latestAt }, before)
    const end = result.catch(() => undefined)
    this.#last.set(key, end)
    try {
      return (await result) as T
    } finally {
      if (this.#last.get(key) === end) this.#last.delete(key)
    }
  }

  async #run(grouped: Grouped, before: Promise<unknown> | undefined): Promise<unknown> {
    await before
    const outcome = await this.#groups.add(grouped)
    if (outcome === 'alone') return this.#alone(grouped.work)
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
}

async function commitTogether(together: Transact, group: Grouped[]): Promise<Outcome[]> {
  const now = performance.now()
  const inTime = group.filter(({ latestAt }) => now <= latestAt)
  // Locked in the order of keys, so that groups of two processes don't wait for each other.
  inTime.sort((a, b) => (a.key < b.key ? -1 : 1))
  const works = inTime.map(({ work }) => work)
  try {
    const outcomes = inTime.length > 0 ? await together(tx => runTogether(tx, works)) : []
    return group.map(grouped => outcomes[inTime.indexOf(grouped)] ?? { error: poolTimeout() })
  } catch (error) {
    // It may have been committed: the callers decide whether to repeat it.
    if (isUnavailable(error) && !isUndone(error)) throw error
    return group.map(grouped => (inTime.includes(grouped) ? 'alone' : { error: poolTimeout() }))
  }
}
