import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Database, Db } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { Turns } from '../../kit/turns.ts'

/** Somebody who clicks on three files gets them one after the other, if they take no longer than this part of the stall time-out. */
const WAIT_SHARE = 1 / 3
/** Requests that wait for their turn, for one person and in all. */
const MOST_WAITING = { person: 4, all: 100 }
/** Whoever takes less than this before the stall time-out counts as taking nothing. */
const CHUNK_BYTES = 16_384
/** A snapshot keeps PostgreSQL from tidying up what was deleted since, so even a reader who takes a little now and then must end. */
const LONGEST_DOWNLOAD_MS = 60 * 60_000

/** Calls that answer with a file as long as what it holds. */
export const isDownload = (path: string) => /\.(csv|pdf)$/.test(path)

export interface Downloader {
  accountId: number
  kind: 'user' | 'affiliate'
  id: number
}

/** A file that is on its way to its reader. */
export interface Download {
  /** What to read it from. */
  files: Db
  /** Comes when the reader has gone, or has all of it. */
  signal: AbortSignal
  /** The file as a stream that is closed when nobody takes it. */
  paced(pages: AsyncIterable<string | Uint8Array>): Readable
}

/**
 * Files that are being sent by this process. Each may hold a connection for as long as its reader likes, so there are only so many:
 * for one person, for one account, for affiliates, who are strangers, and in all. No share can use up what the next larger one has.
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

  /** Waits for a turn, which lasts until the answer has been sent or its reader has gone. */
  async begin(reply: FastifyReply, who: Downloader): Promise<Download> {
    const gone = new AbortController()
    const { signal } = gone
    reply.raw.once('close', () => gone.abort())
    if (reply.raw.closed || reply.raw.destroyed) gone.abort()
    const end = await this.#turns.take(this.#sharesOf(who), {
      giveUp: signal,
      waitMs: this.#stallMs * WAIT_SHARE,
      mostWaiting: MOST_WAITING.person,
    })
    if (end === undefined)
      throw new DomainError(
        'rate_limited',
        'Too many downloads are running. Wait until one has finished, then try again.',
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

  /** Gives out a little at a time, and hangs up where that little is not taken in time. */
  async *#watched(
    pages: AsyncIterable<string | Uint8Array>,
    reply: FastifyReply,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const hangUp = (why: string) => {
      reply.log.info(`a download was closed: ${why}`)
      reply.raw.destroy()
    }
    sleep(LONGEST_DOWNLOAD_MS, undefined, { signal, ref: false }).then(
      () => hangUp('it took more than an hour'),
      () => undefined,
    )
    let waiting: NodeJS.Timeout | undefined
    const waitForReader = () => {
      waiting = setTimeout(() => hangUp('its reader takes nothing'), this.#stallMs)
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
    // The last of it is still to be taken.
    if (!signal.aborted) waitForReader()
  }
}
