import pg from 'pg'
import { Batches } from '../kit/batches.ts'
import { isUnavailable, isUndone, poolTimeout } from './failures.ts'
import type { Sql } from './sql.ts'
import type { TransactionOptions, Tx, WriteRows } from './transaction.ts'

/** More would hold their locks for longer than a commit takes. */
const MOST_TOGETHER = 32

const WRITES = /\b(?:INSERT|UPDATE|DELETE|MERGE)\b/i

type Work<T> = (tx: Tx) => Promise<T>
type Transact = <T>(work: Work<T>) => Promise<T>

interface Grouped {
  accountId: number
  key: string
  work: Work<unknown>
  /** It fails if its turn comes later than this, as if it had waited for a connection. */
  latestAt: number
}

interface Rows {
  write: WriteRows<unknown>
  accountId: number
  rows: unknown[]
}
/** A statement, rows of one table, or what is written when the transaction ends. */
type Write = ((tx: Tx) => void) | Rows | { atEnd: (tx: Tx) => void }

const isLike = (a: Write, b: Rows): boolean =>
  'rows' in a && a.write === b.write && a.accountId === b.accountId

function send(tx: Tx, write: Write): void {
  if ('rows' in write) tx.sendRows(write.write, write.accountId, write.rows)
  else if ('atEnd' in write) write.atEnd(tx)
  else write(tx)
}

/** How the work of a member ended: with a result, with an error that concerns no one else, or it has to be repeated alone. */
type Outcome = { value: unknown } | { error: unknown } | 'alone'

/**
 * A transaction inside a shared one. Its writes are kept back until it reads again or ends: until then it can fail without leaving anything
 * in the transaction.
 */
class Member implements Tx {
  readonly inTransaction = true
  readonly #tx: Tx
  readonly #work: Work<unknown>
  readonly #writes: Write[] = []
  #hasWritten = false
  #needsSavepoint = false

  constructor(tx: Tx, work: Work<unknown>) {
    this.#tx = tx
    this.#work = work
  }

  /** Throws if the whole transaction has failed, or can't go on without this member. */
  async run(): Promise<Outcome> {
    try {
      const value = await this.#work(this)
      if (!this.#needsSavepoint) return { value }
      if (this.#hasWritten) throw new Error('A nested transaction failed and was not rolled back.')
      return this.#leave('alone')
    } catch (error) {
      if (this.#hasWritten || error instanceof pg.DatabaseError || isUnavailable(error)) throw error
      return this.#leave({ error })
    }
  }

  #leave(outcome: Outcome): Outcome {
    this.takeWrites()
    return outcome
  }

  /** What it has not written yet, in order. */
  takeWrites(): Write[] {
    return this.#writes.splice(0)
  }

  #sendWrites(): void {
    if (this.#writes.length > 0) this.#hasWritten = true
    for (const write of this.takeWrites()) send(this.#tx, write)
  }

  many<Row>(statement: Sql): Promise<Row[]> {
    this.#sendWrites()
    this.#noteWrite(statement)
    return this.#tx.many(statement)
  }

  /** A statement that returns rows may write too. `FOR UPDATE` counts as well: it only means that a failure repeats the whole group. */
  #noteWrite({ text }: Sql): void {
    if (WRITES.test(text)) this.#hasWritten = true
  }

  async first<Row>(statement: Sql): Promise<Row | undefined> {
    return (await this.many<Row>(statement))[0]
  }

  inOrder<T extends readonly unknown[]>(
    ...steps: { [Index in keyof T]: () => Promise<T[Index]> }
  ): Promise<T> {
    return this.#tx.inOrder<T>(...steps)
  }

  send(statement: Sql): void {
    this.#writes.push(tx => tx.send(statement))
  }

  sendRows<Row>(write: WriteRows<Row>, accountId: number, rows: Row[]): void {
    this.#writes.push({ write: write as WriteRows<unknown>, accountId, rows })
  }

  sendAndNotify(statement: Sql, channel: string): void {
    this.#writes.push(tx => tx.sendAndNotify(statement, channel))
  }

  atEnd<Item>(write: (tx: Tx, items: Item[]) => void, items: Item[]): void {
    this.#writes.push({ atEnd: tx => tx.atEnd(write, items) })
  }

  stream<Row>(statement: Sql): AsyncGenerator<Row[]> {
    this.#sendWrites()
    this.#noteWrite(statement)
    return this.#tx.stream(statement)
  }

  /** Without a savepoint, which would include the others' statements: if it fails and the work goes on, the work is repeated alone. */
  transaction<T>(work: Work<T>): Promise<T> {
    return work(this).catch(error => {
      this.#needsSavepoint = true
      throw error
    })
  }
}

/**
 * The writes of all members, rows of the same kind in one statement. Those of one member stay in their order: a row is written after the row
 * that it refers to.
 */
function merged(writes: Write[][]): Write[] {
  const all: Write[] = []
  for (const own of writes) {
    let last = 0
    for (const write of own) {
      const like =
        'rows' in write ? all.findIndex((other, place) => place >= last && isLike(other, write)) : -1
      if (like >= 0) (all[like] as Rows).rows.push(...(write as Rows).rows)
      else all.push('rows' in write ? { ...write, rows: [...write.rows] } : write)
      // What is written at the end has no place in the order.
      if (!('atEnd' in write)) last = like >= 0 ? like : all.length - 1
    }
  }
  return all
}

/** Throws if the transaction has failed, once none of the group uses it any more. */
async function runTogether(tx: Tx, group: Grouped[]): Promise<Outcome[]> {
  const members = group.map(({ work }) => new Member(tx, work))
  const settled = await Promise.allSettled(members.map(member => member.run()))
  const outcomes = settled.map(result => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  for (const write of merged(members.map(member => member.takeWrites()))) send(tx, write)
  return outcomes
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
  try {
    const outcomes = inTime.length > 0 ? await together(tx => runTogether(tx, inTime)) : []
    return group.map(grouped => outcomes[inTime.indexOf(grouped)] ?? { error: poolTimeout() })
  } catch (error) {
    // It may have been committed: the callers decide whether to repeat it.
    if (isUnavailable(error) && !isUndone(error)) throw error
    return group.map(grouped => (inTime.includes(grouped) ? 'alone' : { error: poolTimeout() }))
  }
}
