import type { Db, Tx } from './database.ts'
import { readSnapshot } from './snapshot.ts'

/**
 * The rows of one moment, a page at a time, to whoever takes them: the next page is read when the last one has been taken, and a
 * reader that goes away ends the transaction. Nothing is begun before the first page is asked for.
 */
export async function* streamSnapshot<Row>(
  db: Db,
  pages: (tx: Tx) => AsyncIterable<Row[]>,
): AsyncGenerator<Row[]> {
  const { readable, writable } = new TransformStream<Row[], Row[]>()
  const writer = writable.getWriter()
  const reading = readSnapshot(db, async tx => {
    for await (const rows of pages(tx)) await writer.write(rows)
  }).then(
    () => writer.close(),
    // Where the reader has gone, it is past hearing why; where it has not, it fails with the same error.
    error => writer.abort(error).catch(() => undefined),
  )
  try {
    yield* readable
  } finally {
    await reading.catch(() => undefined)
  }
}
