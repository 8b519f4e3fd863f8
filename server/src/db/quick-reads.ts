import pg from 'pg'
import { isUnavailable } from './failures.ts'
import { PIPELINED, sendTogether } from './pg-adapter.ts'

/** A lane takes so many at once before the next one is used, so that what is sent together goes in one piece. */
const MOST_UNDER_WAY = 8
/** Whoever stands behind something slow waits for it; once a lane has not answered for this long, nobody joins it. */
const SLOW_AFTER_MS = 20

/** A connection that is sent one statement after the other without waiting for answers, which come in the same order. */
class Lane {
  readonly #config: pg.ClientConfig
  readonly #onError: (error: Error) => void
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined
  #answeredAt = 0
  underWay = 0

  constructor(config: pg.ClientConfig, onError: (error: Error) => void) {
    this.#config = config
    this.#onError = onError
  }

  isSlow(now: number): boolean {
    return this.underWay > 0 && now - this.#answeredAt > SLOW_AFTER_MS
  }

  async query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.underWay++ === 0) this.#answeredAt = performance.now()
    let client = this.#client
    try {
      client ??= await this.#connect()
      // What all requests that have arrived by now ask for.
      sendTogether(client, setImmediate)
      return await client.query(statement)
    } catch (error) {
      if (client && isUnavailable(error)) this.#giveUp(client)
      throw error
    } finally {
      this.underWay--
      this.#answeredAt = performance.now()
    }
  }

  #connect(): Promise<pg.Client> {
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    client.on('error', error => {
      if (this.#client === client) this.#onError(error)
      this.#giveUp(client)
    })
    await client.connect()
    this.#client = client
    return client
  }

  /** A connection that broke is not used again: the next read opens another. Those under way have failed and told why. */
  #giveUp(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
    client.end(() => undefined)
  }

  async close(): Promise<void> {
    const client = await (this.#connecting ?? this.#client)
    await client?.end()
  }
}

/**
 * Short reads outside any transaction, many on each of a few connections: these carry more than a pool several times their number,
 * see docs/performance.md.
 */
export class QuickReads {
  readonly #lanes: Lane[]
  readonly #otherwise: (statement: pg.QueryConfig) => Promise<pg.QueryResult>

  /** What finds every lane slow goes `otherwise`. */
  constructor(
    config: pg.ClientConfig,
    lanes: number,
    onError: (error: Error) => void,
    otherwise: (statement: pg.QueryConfig) => Promise<pg.QueryResult>,
  ) {
    this.#lanes = Array.from({ length: lanes }, () => new Lane({ ...config, ...PIPELINED }, onError))
    this.#otherwise = otherwise
  }

  query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const now = performance.now()
    let best: Lane | undefined
    for (const lane of this.#lanes) {
      if (lane.isSlow(now)) continue
      if (lane.underWay < MOST_UNDER_WAY) return lane.query(statement)
      if (!best || lane.underWay < best.underWay) best = lane
    }
    return best ? best.query(statement) : this.#otherwise(statement)
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map(lane => lane.close()))
  }
}
