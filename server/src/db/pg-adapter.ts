import type { Duplex, Writable } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
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
