import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Database, Db } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { Turns } from '../../kit/turns.ts'
import { whenGone } from './when-gone.ts'

/** Further downloads of a user wait this share of the stall timeout for their turn. */
const WAIT_SHARE = 1 / 3
/** Maximum requests waiting for a turn, per user and in total. */
const MOST_WAITING = { person: 4, all: 100 }
/** A client that reads less than this before the stall timeout counts as stalled. */
const CHUNK_BYTES = 16_384
/** An open snapshot keeps PostgreSQL from vacuuming dead rows, so even a slow client must finish within this. */
const LONGEST_DOWNLOAD_MS = 60 * 60_000

/** Calls that respond with a streamed file. */
export const isDownload = (path: string) => /(\.csv|\.pdf|\/file)$/.test(path)

export interface Downloader {
  accountId: number
  kind: 'user' | 'affiliate'
  id: number
}

/** A download in progress. */
export interface Download {
  /** The connection to read from. */
  files: Db
  /** Aborted when the client disconnects or the response is complete. */
  signal: AbortSignal
  /** The file as a stream that is closed if the client stalls. */
  paced(pages: AsyncIterable<string | Uint8Array>): Readable
}

/**
 * The downloads of this process. Each may hold a connection for as long as its client reads, so they are limited: per user, per
 * account, for all affiliates (who are untrusted), and in total. No share can exhaust the next larger one.
 */
export class Downloads {
  readonly #db: Database
  readonly #turns: Turns
  readonly #most: { person: number; affiliate: number; affiliates: number; account: number; all: number }
  readonly #stallMs: number

  constructor({ db, settings }: Services & { db: Database }) {
    const all = db.exportPool.options.max
    const half = Math.max(1, Math.floor(all / 2))
    this.#db = db
    this.#most = { person: half, affiliate: 1, affiliates: half, account: Math.max(1, all - 1), all }
    this.#turns = new Turns(MOST_WAITING.all)
    this.#stallMs = settings.TRIBUTARY_EXPORT_STALL_SECONDS * 1000
  }

  /** Waits for a turn, which lasts until the response is complete or the client disconnects. */
  async begin(reply: FastifyReply, who: Downloader): Promise<Download> {
    const signal = whenGone(reply)
    const end = await this.#turns.take(this.#sharesOf(who), {
      giveUp: signal,
      waitMs: this.#stallMs * WAIT_SHARE,
      mostWaiting: MOST_WAITING.person,
    })
    if (end === undefined)
      throw new DomainError(
        'rate_limited',
        'Too many downloads in progress. Wait for one to finish, then try again.',
        { retryAfterSeconds: Math.ceil(this.#stallMs / 1000) },
      )
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    return {
      files: this.#db.exports(signal),
      signal,
      paced: pages => Readable.from(this.#watched(pages, reply, signal), { objectMode: false }),
    }
  }

  #sharesOf({ accountId, kind, id }: Downloader) {
    const { person, affiliate, affiliates, account, all } = this.#most
    const own =
      kind === 'user'
        ? [{ name: `user ${id}`, most: person }]
        : [
            { name: `affiliate ${accountId} ${id}`, most: affiliate },
            { name: 'affiliates', most: affiliates },
          ]
    return [...own, { name: `account ${accountId}`, most: account }, { name: 'all', most: all }]
  }

  /** Sends chunk by chunk, and closes the connection if a chunk is not read in time. */
  async *#watched(
    pages: AsyncIterable<string | Uint8Array>,
    reply: FastifyReply,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const hangUp = (why: string) => {
      reply.log.info(`download closed: ${why}`)
      // Reset, not closed: unread data must not stay in the kernel's buffers either.
      reply.raw.socket?.resetAndDestroy()
    }
    sleep(LONGEST_DOWNLOAD_MS, undefined, { signal, ref: false }).then(
      () => hangUp('exceeded one hour'),
      () => undefined,
    )
    let waiting: NodeJS.Timeout | undefined
    const waitForReader = () => {
      waiting = setTimeout(() => hangUp('client stalled'), this.#stallMs)
    }
    signal.addEventListener('abort', () => clearTimeout(waiting))
    for await (const page of pages) {
      const bytes =
        typeof page === 'string' ? Buffer.from(page) : Buffer.from(page.buffer, page.byteOffset, page.length)
      for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
        waitForReader()
        yield bytes.subarray(from, from + CHUNK_BYTES)
        clearTimeout(waiting)
      }
    }
    // The last chunk is still to be read.
    if (!signal.aborted) waitForReader()
  }
}
