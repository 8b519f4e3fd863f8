import type { Duplex, Writable } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from, to } from 'pg-copy-streams'

/**
 * All that leans on the inside of pg stands here: the socket of a connection, which its types leave out, and how it answers a
 * pipeline. `server/test/pg-adapter.test.ts` says what is expected of them and of which versions, which package.json pins: an upgrade
 * begins there.
 */

const socketOf = (client: pg.ClientBase) =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream

/** Statements go out as they are given, without waiting for the answers to those before, and are answered in that order. */
export const PIPELINED = { pipeline: true } as const

const held = new WeakSet<Writable>()

/**
 * Holds back what is about to be sent on a connection until `later` runs what it is given: statements that are sent until then go in
 * one write. Each write wakes a process of PostgreSQL, which costs more than all that we do to make a statement.
 */
export function sendTogether(client: pg.ClientBase, later: (send: () => void) => void): void {
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
 * What `COPY … TO STDOUT` gives, at the reader's pace, on a connection without a pipeline. A reader that stops half-way ends the
 * connection: the server knows no other way to be interrupted. The number of rows is known once a later statement was answered.
 */
export function copyOut(client: pg.ClientBase, statement: string): Readable & { rowCount: number } {
  const rows = client.query(to(statement))
  rows.once('close', () => {
    if (rows.readableEnded) return
    // The connection says so to the statement under way, which nobody reads any more.
    rows.on('error', () => undefined)
    socketOf(client).destroy()
  })
  return rows
}

/** Feeds chunks to `COPY … FROM STDIN`, no faster than the server takes them, on a connection without a pipeline. Returns the rows it took. */
export async function copyIn(
  client: pg.ClientBase,
  statement: string,
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  const table = client.query(from(statement))
  await pipeline(Readable.from(chunks), table)
  return table.rowCount
}
