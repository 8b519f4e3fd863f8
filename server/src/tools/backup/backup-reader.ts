import { createHmac, type Hmac } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { SecretBox } from '../../kit/secret-box.ts'
import {
  BackupError,
  type BackupHeader,
  type BackupTrailer,
  cannotRead,
  damaged,
  END_OF_TABLE,
  FORMAT,
} from './backup-format.ts'

const NEWLINE = 10
/** Headers are a few kilobytes. A file without a line break for this long is not a backup. */
const LONGEST_LINE_BYTES = 1 << 20
const EMPTY = Buffer.alloc(0)

/** Reads a backup sequentially. */
export class BackupReader {
  readonly #secrets: SecretBox
  readonly #hmac: Hmac
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = EMPTY

  constructor(source: Readable, secrets: SecretBox) {
    const plain = createGunzip({ chunkSize: 65_536 })
    // Errors of the source surface where the text is read.
    pipeline(source, plain).catch(() => undefined)
    this.#chunks = plain[Symbol.asyncIterator]()
    this.#secrets = secrets
    this.#hmac = createHmac('sha256', secrets.key('backup'))
  }

  async header(): Promise<BackupHeader> {
    const header = await this.#firstLine()
    if (header?.tributary_backup === undefined) throw new BackupError('This is not a Tributary backup.')
    if (header.tributary_backup !== FORMAT)
      throw new BackupError(
        `The backup was made by a later version of Tributary (${header.version}). Restore it with that version.`,
      )
    if (header.secret_key_check !== this.#secrets.check().toString('hex'))
      throw new BackupError(
        'The secret key does not match the one that the backup was encrypted with. Set TRIBUTARY_SECRET_KEY to that' +
          ' key or, if it was generated, copy secret.key from the original data directory into this one. Then restore again.',
      )
    return header
  }

  /** The rows of the next table, which must be `name`, in chunks of whole lines. */
  async *rowsOf(table: string): AsyncGenerator<Buffer> {
    if (parse<{ table: string }>(await this.#line()).table !== table) throw damaged()
    for (;;) {
      const end = this.#endOfTable()
      if (end >= 0) {
        if (end > 0) yield this.#take(end)
        this.#take(END_OF_TABLE.length)
        return
      }
      const whole = this.#rest.lastIndexOf(NEWLINE) + 1
      if (whole > 0) yield this.#take(whole)
      await this.#more()
    }
  }

  /** Reads the trailer and verifies the HMAC of the whole file. */
  async trailer(): Promise<BackupTrailer> {
    const expected = this.#hmac.digest('hex')
    const trailer = parse<BackupTrailer>(await this.#line({ signed: false }))
    if (trailer.hmac_sha256 !== expected || this.#rest.length > 0 || !(await this.#next()).done)
      throw damaged()
    return trailer
  }

  /** A file that is not gzip or has no JSON header is not one of our backups. */
  async #firstLine(): Promise<Partial<BackupHeader> & BackupHeader> {
    try {
      return JSON.parse(await this.#line())
    } catch (error) {
      if (error instanceof BackupError && (error.cause as { code?: string })?.code !== 'Z_DATA_ERROR')
        throw error
      throw new BackupError('This is not a Tributary backup.', { cause: error })
    }
  }

  /** The index of the line that ends a table, or -1. The buffer always starts at a line. */
  #endOfTable(): number {
    if (this.#rest.subarray(0, END_OF_TABLE.length).equals(END_OF_TABLE)) return 0
    const before = this.#rest.indexOf('\n\\.\n')
    return before < 0 ? -1 : before + 1
  }

  async #line({ signed = true } = {}): Promise<string> {
    for (;;) {
      const length = this.#rest.indexOf(NEWLINE) + 1
      if (length > 0) return this.#take(length, signed).toString('utf8')
      if (this.#rest.length > LONGEST_LINE_BYTES) throw damaged()
      await this.#more()
    }
  }

  #take(length: number, signed = true): Buffer {
    const taken = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    if (signed) this.#hmac.update(taken)
    return taken
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#next()
    if (done) throw damaged()
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#chunks.next()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw damaged(error)
      throw cannotRead(error as Error)
    }
  }
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damaged(error)
  }
}
