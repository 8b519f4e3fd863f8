import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from './database.ts'
import { fullName, type Migration, MigrationError } from './migration-files.ts'
import { sql } from './sql.ts'

/** The `application_name` of every pooled connection; versions before this existed use `tributary`. */
export const processName = (level: number) => `tributary/${level}`

/** The latest migration that a version without a level in its name can know. */
const LAST_UNVERSIONED = 19

interface Connected {
  /** Null for a version that does not announce it. */
  level: number | null
  connections: number
  pids: number[]
  addresses: string[]
}

/**
 * Connected processes by schema level. `since` is for a pooler, whose idle connections keep the name of their last client: there
 * only those used since then count.
 */
const connected = (db: Db, since: string | undefined): Promise<Connected[]> =>
  db.many(sql`
    SELECT substring(application_name FROM '/(\\d+)$')::integer AS level, count(*)::integer AS connections,
           array_agg(pid ORDER BY pid) AS pids,
           array_agg(DISTINCT coalesce(host(client_addr), 'this machine')) AS addresses
      FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ '^tributary(/\\d+)?$'
       AND (${since ?? null}::timestamptz IS NULL OR state_change > ${since ?? null}::timestamptz)
     GROUP BY 1 ORDER BY 1`)

const describe = ({ level, connections, pids, addresses }: Connected) =>
  `${level === null ? 'an earlier version' : `a version of migration ${level}`}: ${connections} connection${connections === 1 ? '' : 's'} ` +
  `from ${addresses.join(', ')} (PostgreSQL process ${pids.slice(0, 5).join(', ')}${pids.length > 5 ? ', …' : ''})`

export interface OlderProcessOptions {
  /** Whether a pooler shares our connections. */
  isPooled: boolean
  /** How long to wait for processes that are stopping. */
  waitMs?: number
}

const WAIT_MS = 10_000
const POLL_MS = 100
/** Every process polls for deliveries four times a second, so behind a pooler each is seen within this time. */
const WATCH_POOLER_MS = 3_000

/** Waits until no process that is too old for this migration is connected; throws if some remain. */
export async function awaitOlderProcesses(
  db: Db,
  migration: Migration,
  /** The database's level: an unversioned process cannot have started with less. */
  appliedLevel: number,
  { isPooled, waitMs = WAIT_MS }: OlderProcessOptions,
): Promise<void> {
  const { oldestConcurrent } = migration
  if (oldestConcurrent === undefined) return
  const startedAt = performance.now()
  const unversioned = Math.min(appliedLevel, LAST_UNVERSIONED)
  for (;;) {
    const since = isPooled ? await now(db) : undefined
    const watchedFrom = performance.now()
    let older: Connected[] = []
    do {
      if (isPooled) await sleep(POLL_MS)
      older = (await connected(db, since)).filter(({ level }) => (level ?? unversioned) < oldestConcurrent)
    } while (isPooled && older.length === 0 && performance.now() - watchedFrom < WATCH_POOLER_MS)
    if (older.length === 0) return
    if (performance.now() - startedAt > waitMs)
      throw new MigrationError(
        `Migration ${fullName(migration)} must not run alongside processes of an older version. These are connected:\n` +
          `${older.map(each => `  ${describe(each)}`).join('\n')}\nStop all of them, then start this one again.`,
      )
    await sleep(POLL_MS)
  }
}

const now = async (db: Db) =>
  ((await db.first<{ now: string }>(sql`SELECT clock_timestamp()::text AS now`)) as { now: string }).now
