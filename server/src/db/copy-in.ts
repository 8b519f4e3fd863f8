import { once } from 'node:events'
import type pg from 'pg'
import { type CopyConnection, copiedRows } from './copy.ts'

/** One `COPY … FROM STDIN` on a connection: the answers of the server, and what is sent in between. */
class CopyIn {
  readonly done: Promise<number>
  readonly #statement: string
  readonly #chunks: AsyncIterable<Buffer>
  /** Aborted when the server has had enough, so that nobody waits for it to take more. */
  readonly #over = new AbortController()
  #settle: { resolve(rows: number): void; reject(error: unknown): void } | undefined
  #rows = 0
  #unread: { error: unknown } | undefined

  constructor(statement: string, chunks: AsyncIterable<Buffer>) {
    this.#statement = statement
    this.#chunks = chunks
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
  }

  submit(connection: unknown): void {
    ;(connection as CopyConnection).query(this.#statement)
  }

  async handleCopyInResponse(connection: CopyConnection): Promise<void> {
    const { signal } = this.#over
    try {
      for await (const chunk of this.#chunks) {
        if (signal.aborted) return
        connection.sendCopyFromChunk(chunk)
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal })
      }
      connection.endCopyFrom()
    } catch (error) {
      if (signal.aborted) return
      this.#unread = { error }
      // The server answers this with an error, which ends the statement.
      connection.sendCopyFail('the rows could not be read')
    }
  }

  handleCommandComplete(message: { text: string }): void {
    this.#rows = copiedRows(message)
  }

  handleReadyForQuery(): void {
    this.#settle?.resolve(this.#rows)
  }

  handleError(error: Error): void {
    this.#over.abort()
    this.#settle?.reject(this.#unread ? this.#unread.error : error)
  }
}

/** Feeds chunks to `COPY … FROM STDIN`, no faster than the server takes them. Returns how many rows it took. */
export function copyIn(
  client: pg.ClientBase,
  statement: string,
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  return client.query(new CopyIn(statement, chunks)).done
}
