import pg from 'pg'
import { isUnavailable } from './failures.ts'
import type { Sql } from './sql.ts'
import type { ReadItems, Tx, WriteRows } from './transaction.ts'

const WRITES = /\b(?:INSERT|UPDATE|DELETE|MERGE)\b/i

export type Work<T> = (tx: Tx) => Promise<T>

/** What a member sends. Steps of one kind and account, on rows or items, are taken as one. */
interface Step {
  kind?: WriteRows<never> | ReadItems<never, unknown>
  accountId?: number
  items: unknown[]
  send(tx: Tx, items: unknown[]): void
  /** For a read that could not be sent. */
  fail?(error: unknown): void
  /** Written when the transaction ends: it has no place in the order. */
  isAtEnd?: boolean
}

interface Read {
  item: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

const isLike = (a: Step, b: Step): boolean =>
  a.kind !== undefined && a.kind === b.kind && a.accountId === b.accountId

/** How the work of a member ended: with a result, with an error that concerns no one else, or it has to be repeated alone. */
export type Outcome = { value: unknown } | { error: unknown } | 'alone'

/** What the members of a group send in one tick, together: a lock or a read of each is one statement. */
class Exchange {
  readonly #tx: Tx
  readonly #steps = new Map<Member, Step[]>()

  constructor(tx: Tx) {
    this.#tx = tx
  }

  add(member: Member, steps: Step[]): void {
    // After the promises of this tick: all members that it resumes have a part in it.
    if (this.#steps.size === 0) process.nextTick(() => this.send())
    const own = this.#steps.get(member)
    if (own) own.push(...steps)
    else this.#steps.set(member, steps)
  }

  /** Also before the transaction ends: what a member no longer waits for must not come after it. */
  send(): void {
    const steps = [...this.#steps.values()]
    this.#steps.clear()
    try {
      sendMerged(this.#tx, steps)
    } catch (error) {
      for (const step of steps.flat()) step.fail?.(error)
    }
  }
}

/**
 * A transaction inside a shared one. Its writes are kept back until it reads again or ends: until then it can fail without leaving anything
 * in the transaction.
 */
class Member implements Tx {
  readonly inTransaction = true
  readonly #exchange: Exchange
  readonly #tx: Tx
  readonly #work: Work<unknown>
  readonly #writes: Step[] = []
  #hasWritten = false
  #needsSavepoint = false

  constructor(tx: Tx, exchange: Exchange, work: Work<unknown>) {
    this.#tx = tx
    this.#exchange = exchange
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
  takeWrites(): Step[] {
    return this.#writes.splice(0)
  }

  #addRead(step: Step): void {
    if (this.#writes.length > 0) this.#hasWritten = true
    this.#exchange.add(this, [...this.takeWrites(), step])
  }

  many<Row>(statement: Sql): Promise<Row[]> {
    this.#noteWrite(statement)
    return new Promise((resolve, reject) =>
      this.#addRead({ items: [], send: tx => tx.many<Row>(statement).then(resolve, reject), fail: reject }),
    )
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

  readItem<Item, Result>(read: ReadItems<Item, Result>, accountId: number, item: Item): Promise<Result> {
    return new Promise((resolve, reject) =>
      this.#addRead({
        kind: read,
        accountId,
        items: [{ item, resolve, reject }],
        send: (tx, items) =>
          void readAll(read as ReadItems<unknown, unknown>, tx, accountId, items as Read[]),
        fail: reject,
      }),
    )
  }

  send(statement: Sql): void {
    this.#writes.push({ items: [], send: tx => tx.send(statement) })
  }

  sendRows<Row>(write: WriteRows<Row>, accountId: number, rows: Row[]): void {
    this.#writes.push({
      kind: write,
      accountId,
      items: rows,
      send: (tx, items) => tx.sendRows(write, accountId, items as Row[]),
    })
  }

  sendAndNotify(statement: Sql, channel: string): void {
    this.#writes.push({ items: [], send: tx => tx.sendAndNotify(statement, channel) })
  }

  atEnd<Item>(write: (tx: Tx, items: Item[]) => void, items: Item[]): void {
    this.#writes.push({ items: [], send: tx => tx.atEnd(write, items), isAtEnd: true })
  }

  async *stream<Row>(statement: Sql): AsyncGenerator<Row[]> {
    this.#noteWrite(statement)
    await new Promise<void>((resolve, reject) =>
      this.#addRead({ items: [], send: () => resolve(), fail: reject }),
    )
    yield* this.#tx.stream<Row>(statement)
  }

  /** Without a savepoint, which would include the others' statements: if it fails and the work goes on, the work is repeated alone. */
  transaction<T>(work: Work<T>): Promise<T> {
    return work(this).catch(error => {
      this.#needsSavepoint = true
      throw error
    })
  }
}

async function readAll(
  read: ReadItems<unknown, unknown>,
  tx: Tx,
  accountId: number,
  reads: Read[],
): Promise<void> {
  try {
    const results = await read(
      tx,
      accountId,
      reads.map(({ item }) => item),
    )
    for (const [index, { resolve }] of reads.entries()) resolve(results[index])
  } catch (error) {
    // Not of the database, such as a value that can't be represented: it concerns one of them, and the transaction goes on.
    const concernsOne = !(error instanceof pg.DatabaseError || isUnavailable(error))
    if (concernsOne && reads.length > 1) for (const each of reads) void readAll(read, tx, accountId, [each])
    else for (const { reject } of reads) reject(error)
  }
}

/**
 * Sends the steps of all members, those of the same kind as one. Those of one member stay in their order: a row is written after the row
 * that it refers to, and read after its lock.
 */
function sendMerged(tx: Tx, steps: Step[][]): void {
  const all: Step[] = []
  for (const own of steps) {
    let last = 0
    for (const step of own) {
      const like = all.findIndex((other, place) => place >= last && isLike(other, step))
      if (like >= 0) (all[like] as Step).items.push(...step.items)
      else all.push({ ...step, items: [...step.items] })
      if (!step.isAtEnd) last = like >= 0 ? like : all.length - 1
    }
  }
  for (const { send, items } of all) send(tx, items)
}

/** Throws if the transaction has failed, once none of the group uses it any more. */
export async function runTogether(tx: Tx, works: Work<unknown>[]): Promise<Outcome[]> {
  const exchange = new Exchange(tx)
  const members = works.map(work => new Member(tx, exchange, work))
  const settled = await Promise.allSettled(members.map(member => member.run()))
  exchange.send()
  const outcomes = settled.map(result => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  sendMerged(
    tx,
    members.map(member => member.takeWrites()),
  )
  return outcomes
}
