import type { Db, Tx } from './database.ts'
import { readSnapshot } from './snapshot.ts'

/**
 * Streams the rows of one snapshot with backpressure: the next page is read when the last one has been consumed, and a consumer that
 * stops ends the transaction. The transaction begins with the first page.
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
    // A consumer that is still reading fails with the same error; one that has stopped does not need it.
    error => writer.abort(error).catch(() => undefined),
  )
  try {
    yield* readable
  } finally {
    await reading.catch(() => undefined)
  }
}
