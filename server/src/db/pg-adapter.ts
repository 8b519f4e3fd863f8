import type { Socket } from 'node:net'
import type { Duplex, Writable } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'

/**
 * Everything that depends on pg's internals: a connection's socket, which its types leave out, and its pipelining.
 * `server/test/pg-adapter.test.ts` is the contract test, for the versions that package.json pins: an upgrade starts there.
 */

const socketOf = (client: pg.ClientBase) =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream

/** Statements are sent without waiting for earlier results, which arrive in order. */
export const PIPELINED = { pipeline: true } as const

const held = new WeakSet<Writable>()

/**
 * Buffers writes on a connection until `later` runs its callback, so that all statements sent until then go out in one write. Each
 * write wakes a PostgreSQL backend, which costs more than preparing the statement.
 */
export function coalesceWrites(client: pg.ClientBase, later: (send: () => void) => void): void {
  const socket = socketOf(client)
  if (held.has(socket)) return
  held.add(socket)
  socket.cork()
  later(() => {
    held.delete(socket)
    socket.uncork()
  })
}

/** Whether PostgreSQL hasn't yet responded to everything that was sent on this connection. */
export const isWaiting = (client: pg.ClientBase): boolean =>
  (client as unknown as { readyForQuery?: boolean }).readyForQuery === false

/** How much PostgreSQL and this process have sent on this connection, as far as the operating system has taken it. */
export function bytesMoved(client: pg.ClientBase): number {
  const { bytesRead, bytesWritten, writableLength } = socketOf(client) as Socket
  return bytesRead + bytesWritten - writableLength
}

/** The PostgreSQL process that this connection was made to, by its own word: a pooler gives a number that isn't one. */
export const processId = (client: pg.ClientBase): number | null =>
  (client as unknown as { processID: number | null }).processID

/** Closes a connection that no longer leads anywhere. What waits on it fails as if PostgreSQL had closed it. */
export function closeAsLost(client: pg.ClientBase): void {
  const error = new Error('The connection to PostgreSQL was lost without notice.')
  socketOf(client).destroy(Object.assign(error, { code: 'ECONNRESET' }))
}

interface Prepared {
  parsedStatements: Record<string, string>
}

/** Whether PostgreSQL has prepared a statement on this connection. */
export const isPrepared = (client: pg.ClientBase, { name }: pg.QueryConfig): boolean =>
  name !== undefined &&
  (client as unknown as { connection: Prepared }).connection.parsedStatements[name] !== undefined

/** The outcome of a statement whose rows are not read. */
export type Completed = Pick<pg.QueryResult, 'command' | 'rowCount'>

/** pg's connection, for as much of it as a batch writes to. */
interface Wire {
  sync(): void
}
const skip = { value: () => undefined }

/** To pg it is a single query; a subclass, because pg refuses any other while it pipelines. */
class Batch extends pg.Query {
  readonly #queries: pg.Query[]
  readonly #completed: Completed[] = []

  constructor(statements: pg.QueryConfig[], done: (error: Error | null, completed: Completed[]) => void) {
    super({ text: '' }, undefined, error => done(error ?? null, this.#completed))
    const refuse = (error: Error | undefined) => {
      this._canceledDueToError = error
    }
    this.#queries = statements.map(statement => new pg.Query(statement, undefined, refuse))
  }

  /** A value that can't be sent: pg reports it when the batch has ended. */
  declare _canceledDueToError: Error | undefined | false

  override submit = (connection: Wire): void => {
    // Each of them writes what it would alone, except for the description of rows that no one reads, and the barrier behind it.
    const wire = Object.create(connection, { describe: skip, sync: skip, close: skip })
    for (const query of this.#queries) {
      ;(query as unknown as { prepare(wire: Wire): void }).prepare(wire)
      // Those behind it depend on it.
      if (this._canceledDueToError) break
    }
    connection.sync()
  }

  handleDataRow(): void {}

  handleCommandComplete({ text }: { text: string }): void {
    const [command = '', ...numbers] = text.split(' ')
    this.#completed.push({ command, rowCount: numbers.length > 0 ? Number(numbers.at(-1)) : null })
  }
}

/**
 * Sends prepared statements as one message exchange: PostgreSQL responds when all are done, instead of waking this process for each. The
 * first that fails is reported, and those behind it are not executed.
 */
export function sendBatch(client: pg.ClientBase, statements: pg.QueryConfig[]): Promise<Completed[]> {
  return new Promise((resolve, reject) => {
    client.query(new Batch(statements, (error, completed) => (error ? reject(error) : resolve(completed))))
  })
}

/**
 * Streams `COPY … TO STDOUT` at the reader's pace, on a connection without pipelining. A reader that stops early closes the
 * connection, because COPY can't be interrupted otherwise. `rowCount` is set once a later statement has completed.
 */
export function copyOut(client: pg.ClientBase, statement: string): Readable & { rowCount: number } {
  const rows = client.query(to(statement))
  rows.once('close', () => {
    if (rows.readableEnded) return
    // Closing the connection fails the statement, which no one reads any more.
    rows.on('error', () => undefined)
    socketOf(client).destroy()
  })
  return rows
}

/** Streams chunks to `COPY … FROM STDIN` with backpressure, on a connection without pipelining. Returns the row count. */
export async function copyIn(
  client: pg.ClientBase,
  statement: string,
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  const table = client.query(from(statement))
  await pipeline(Readable.from(chunks), table)
  return table.rowCount
}
