import { Readable } from 'node:stream'
import { type CopyConnection, copiedRows } from './copy.ts'

const BLOCK_BYTES = 65_536

/**
 * What `COPY … TO STDOUT` gives, in blocks; hand it to `client.query` and read it. Whoever reads slower than the server sends sets
 * the pace. One who stops half-way ends the connection: the server knows no other way to be interrupted.
 */
export class CopyOut extends Readable {
  /** How many rows there were, once all has been read. */
  rows = 0
  readonly #statement: string
  #connection: CopyConnection | undefined
  #isOver = false
  #block = Buffer.allocUnsafe(BLOCK_BYTES)
  #used = 0

  constructor(statement: string) {
    super({ highWaterMark: 4 * BLOCK_BYTES })
    this.#statement = statement
  }

  submit(connection: unknown): void {
    this.#connection = connection as CopyConnection
    this.#connection.query(this.#statement)
  }

  /** The chunk is a row in memory that pg uses again, so it is copied in any case. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#used + chunk.length > BLOCK_BYTES) this.#flush()
    if (chunk.length > BLOCK_BYTES) this.#give(Buffer.from(chunk))
    else this.#used += chunk.copy(this.#block, this.#used)
  }

  handleCommandComplete(message: { text: string }): void {
    this.rows = copiedRows(message)
    this.#flush()
  }

  handleReadyForQuery(): void {
    this.#isOver = true
    this.push(null)
  }

  handleError(error: Error): void {
    this.#isOver = true
    this.destroy(error)
  }

  override _read(): void {
    this.#connection?.stream.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isOver) this.#connection?.stream.destroy()
    done(error)
  }

  #flush(): void {
    if (this.#used === 0) return
    this.#give(this.#block.subarray(0, this.#used))
    this.#block = Buffer.allocUnsafe(BLOCK_BYTES)
    this.#used = 0
  }

  #give(chunk: Buffer): void {
    if (!this.push(chunk)) this.#connection?.stream.pause()
  }
}
