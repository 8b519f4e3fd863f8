import pg from 'pg'
import { isUnavailable } from './failures.ts'
import { coalesceWrites, PIPELINED } from './pg-adapter.ts'

/** A lane is filled up to this before the next one is used, so that statements share a write. */
const MAX_IN_FLIGHT = 8
/** Results arrive in order, so a slow one blocks those behind it: a lane that has been silent for this long gets no new statements. */
const SLOW_AFTER_MS = 20

type LaneConfig = pg.ClientConfig & { onConnect(client: pg.ClientBase): Promise<void> }

/** A pipelined connection: statements are sent without waiting for results, which arrive in order. */
class Lane {
  readonly #config: LaneConfig
  readonly #onError: (error: Error) => void
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined
  #lastResponseAt = 0
  inFlight = 0

  constructor(config: LaneConfig, onError: (error: Error) => void) {
    this.#config = config
    this.#onError = onError
  }

  isSlow(now: number): boolean {
    return this.inFlight > 0 && now - this.#lastResponseAt > SLOW_AFTER_MS
  }

  async query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.inFlight++ === 0) this.#lastResponseAt = performance.now()
    let client = this.#client
    try {
      client ??= await this.#connect()
      // Coalesces the statements of all requests in this event loop turn.
      coalesceWrites(client, setImmediate)
      return await client.query(statement)
    } catch (error) {
      if (client && isUnavailable(error)) this.#drop(client)
      throw error
    } finally {
      this.inFlight--
      this.#lastResponseAt = performance.now()
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
      this.#drop(client)
    })
    await client.connect()
    await this.#config.onConnect(client).catch(error => {
      this.#drop(client)
      throw error
    })
    this.#client = client
    return client
  }

  /** Drops a broken connection: the next read opens another one. Statements in flight have failed with the reason. */
  #drop(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
    client.end(() => undefined)
  }

  async close(): Promise<void> {
    const client = await (this.#connecting ?? this.#client)
    await client?.end()
  }
}

/**
 * Short reads outside any transaction, multiplexed over a few connections: these have more throughput than a pool of several times
 * their number, see docs/performance.md.
 */
export class QuickReads {
  readonly #lanes: Lane[]
  readonly #fallback: (statement: pg.QueryConfig) => Promise<pg.QueryResult>

  /** `fallback` runs a statement when every lane is slow. */
  constructor(
    config: LaneConfig,
    lanes: number,
    onError: (error: Error) => void,
    fallback: (statement: pg.QueryConfig) => Promise<pg.QueryResult>,
  ) {
    this.#lanes = Array.from({ length: lanes }, () => new Lane({ ...config, ...PIPELINED }, onError))
    this.#fallback = fallback
  }

  query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const now = performance.now()
    let best: Lane | undefined
    for (const lane of this.#lanes) {
      if (lane.isSlow(now)) continue
      if (lane.inFlight < MAX_IN_FLIGHT) return lane.query(statement)
      if (!best || lane.inFlight < best.inFlight) best = lane
    }
    return best ? best.query(statement) : this.#fallback(statement)
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map(lane => lane.close()))
  }
}
