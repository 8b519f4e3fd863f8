import pg from 'pg'
import { bytesMoved, closeAsLost, isWaiting, processId } from './pg-adapter.ts'
import { withConnection } from './with-connection.ts'

/** Longer than nearly every statement takes, and shorter than a caller's patience. */
const SILENT_MS = 3000
const LOOK_EVERY_MS = 1000
const CHECK_WITHIN_MS = 2000
/** Short enough for a process that stops to be done before it is killed, and longer than a fail-over takes. */
const GIVE_UP_MS = 60_000

/** The PostgreSQL process behind a connection. Another server, or the same one later, may give its number to another process. */
interface Backend {
  pid: number
  started: string
}

interface Watched {
  client: pg.ClientBase
  /** Unknown while it's being asked for. */
  backend: Backend | undefined
  isStandby: boolean
  bytesMoved: number
  /** Since when it has waited for PostgreSQL without anything going in or out; until now, if it doesn't wait. */
  quietSince: number
  /** At the last check PostgreSQL was done with what this connection waits for. */
  seemedLost: boolean
}

/** A number, unlike the time as text, is the same in every session. */
const STARTED = 'extract(epoch FROM backend_start)::text'

// The function, not the view over it: that also joins the names of databases and roles, which takes longer than everything else here.
const IDENTIFY = `
  SELECT pid, ${STARTED} AS started, pg_is_in_recovery() AS is_standby FROM pg_stat_get_activity(pg_backend_pid())`

const COMPARE = `
  SELECT pid, ${STARTED} AS started, pg_is_in_recovery() AS is_standby,
         state LIKE 'idle%' OR state = 'active' AND wait_event IN ('ClientRead', 'ClientWrite') AS is_done
    FROM pg_stat_get_activity(NULL)
   WHERE pid = ANY($1::integer[]) OR pid = pg_backend_pid()`

const TERMINATE = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_get_activity($1) WHERE ${STARTED} = $2`

interface Compared extends Backend {
  is_standby: boolean
  /** It waits for the next statement or the rest of this one, or for this process to read. Null if PostgreSQL doesn't tell. */
  is_done: boolean | null
}

/**
 * Closes connections that are lost without a word. A server that loses power, or a firewall that forgets a connection, ends nothing, and TCP
 * keeps trying for about 15 minutes. Keep-alive doesn't help either: it's off while something sent is unacknowledged.
 *
 * If PostgreSQL hasn't responded for a while, a new connection asks whether the server knows the old one. A statement that takes long is
 * left alone. After a fail-over the new connection reaches another server, which knows none of them, so all are closed at once. Connections to
 * a standby are compared too: they would read old data forever after new ones reach the primary. If no server can be reached, statements
 * wait for a minute.
 */
export class LostConnections {
  readonly #config: pg.ClientConfig
  readonly #giveUpMs: number
  readonly #open = new Set<pg.ClientBase>()
  readonly #watched = new Set<Watched>()
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
  #checking: Promise<void> | undefined
  #checkAfter = 0
  /** Since when no server could be reached. */
  #unreachableSince: number | undefined

  constructor(config: pg.ClientConfig, giveUpMs = GIVE_UP_MS) {
    this.#giveUpMs = giveUpMs
    this.#config = {
      ...config,
      connectionTimeoutMillis: CHECK_WITHIN_MS,
      query_timeout: CHECK_WITHIN_MS,
    }
    this.#timer.unref()
  }

  /** Watches a new connection until it is closed. */
  async watch(client: pg.ClientBase): Promise<void> {
    const watched: Watched = {
      client,
      backend: undefined,
      isStandby: false,
      bytesMoved: 0,
      quietSince: performance.now(),
      seemedLost: false,
    }
    this.#open.add(client)
    this.#watched.add(watched)
    client.once('end', () => {
      this.#open.delete(client)
      this.#watched.delete(watched)
    })
    try {
      // Before it is used, because it can't be asked while it runs a statement.
      const { rows } = await client.query<Backend & { is_standby: boolean }>(IDENTIFY)
      watched.backend = rows[0]
      watched.isStandby = rows[0]?.is_standby === true
      // A pooler that wasn't declared: the process is another client's at the next moment.
      if (rows[0]?.pid !== processId(client)) this.#watched.delete(watched)
    } catch (error) {
      // An operator may have taken away the function; then it works unwatched.
      if (!(error instanceof pg.DatabaseError && error.code === '42501')) throw error
      this.#watched.delete(watched)
    }
  }

  /** Closes what is still open, watched or not: its server doesn't respond to the end of a connection either. */
  closeAll(): void {
    for (const client of this.#open) closeAsLost(client)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#checking
  }

  #look(): void {
    const now = performance.now()
    let isSuspect = false
    for (const watched of this.#watched) {
      const moved = bytesMoved(watched.client)
      if (!isWaiting(watched.client) || moved !== watched.bytesMoved) {
        watched.bytesMoved = moved
        watched.quietSince = now
        watched.seemedLost = false
      }
      isSuspect ||= now - watched.quietSince >= SILENT_MS || watched.isStandby
    }
    if (!isSuspect || this.#checking || now < this.#checkAfter) return
    this.#checking = this.#check(now).finally(() => {
      this.#checking = undefined
    })
  }

  async #check(now: number): Promise<void> {
    // Those of which it's known now: another one may be identified while this check is under way.
    const asked = [...this.#watched].map(watched => ({ watched, backend: watched.backend }))
    const pids = asked.flatMap(({ backend }) => backend?.pid ?? [])
    try {
      await withConnection(this.#config, async client => {
        const { rows } = await client.query<Compared>(COMPARE, [pids])
        for (const { watched, backend } of asked) {
          const found = rows.find(({ pid, started }) => pid === backend?.pid && started === backend.started)
          if (found) watched.isStandby = found.is_standby
          if (backend && !found) closeAsLost(watched.client)
          else if (this.#isLost(watched, found, now)) {
            closeAsLost(watched.client)
            // It may hold locks.
            if (backend) await client.query(TERMINATE, [backend.pid, backend.started])
          }
        }
      })
      this.#checkAfter = performance.now() + SILENT_MS
      this.#unreachableSince = undefined
    } catch (error) {
      this.#closeUnreachable(now, error)
    }
  }

  /** Without a server to ask, nothing is known about the connections: the next look asks again, until they are given up. */
  #closeUnreachable(now: number, error: unknown): void {
    // One that refuses is reached.
    if (error instanceof pg.DatabaseError) this.#unreachableSince = undefined
    else this.#unreachableSince ??= now
    const isHopeless = (since = now) => now - since >= this.#giveUpMs
    if (!isHopeless(this.#unreachableSince)) return
    for (const { client, quietSince } of this.#watched) if (isHopeless(quietSince)) closeAsLost(client)
  }

  /** Whether PostgreSQL has been done for two checks with what the connection waits for: the response may be on its way at the first. */
  #isLost(watched: Watched, found: Compared | undefined, now: number): boolean {
    // It responded meanwhile, or hasn't been silent for long.
    if (now - watched.quietSince < SILENT_MS || bytesMoved(watched.client) !== watched.bytesMoved)
      return false
    // What isn't identified yet waits for a statement that takes no time.
    if (found && found.is_done !== true) return false
    const wasSo = watched.seemedLost
    watched.seemedLost = true
    return wasSo
  }
}
