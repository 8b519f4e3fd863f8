import type { Writable } from 'node:stream'
import type pg from 'pg'

const held = new WeakSet<Writable>()

/**
 * Holds back what is about to be sent on a connection until `later` runs what it is given: statements that are sent until then go in
 * one write. Each write wakes a process of PostgreSQL, which costs more than all that we do to make a statement.
 */
export function sendTogether(client: pg.ClientBase, later: (send: () => void) => void): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  if (held.has(stream)) return
  held.add(stream)
  stream.cork()
  later(() => {
    held.delete(stream)
    stream.uncork()
  })
}
