import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from './database.ts'
import { fullName, type Migration, MigrationError } from './migration-files.ts'
import { sql } from './sql.ts'

/** How processes call themselves on every connection of their pool; those from before this was told are called `tributary`. */
export const processName = (level: number) => `tributary/${level}`

/** The newest migration that a version can know which does not tell. */
const LAST_UNTOLD = 19

interface Connected {
  /** Null for a version that does not tell. */
  level: number | null
  connections: number
  pids: number[]
  addresses: string[]
}

/**
 * Who is connected, by what they know. `since` is for a pooler: the connections it keeps bear the name of whoever used them last, so
 * there only those count that were used since.
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

const shown = ({ level, connections, pids, addresses }: Connected) =>
  `${level === null ? 'an earlier version' : `a version of migration ${level}`}: ${connections} connection${connections === 1 ? '' : 's'} ` +
  `from ${addresses.join(', ')} (PostgreSQL process ${pids.slice(0, 5).join(', ')}${pids.length > 5 ? ', …' : ''})`

export interface BesideOptions {
  /** Whether a pooler hands our connections round. */
  isPooled: boolean
  /** How long to wait for processes that are just stopping. */
  waitMs?: number
}

const WAIT_MS = 10_000
const LOOK_EVERY_MS = 100
/** Every process asks for deliveries four times a second, so behind a pooler each is seen within this. */
const WATCH_POOLER_MS = 3_000

/** Waits until no process is connected that must not see this migration happen; throws when some stay. */
export async function awaitOlderGone(
  db: Db,
  migration: Migration,
  /** What the database is at: those that do not tell what they know cannot have known less when they started. */
  appliedLevel: number,
  { isPooled, waitMs = WAIT_MS }: BesideOptions,
): Promise<void> {
  const { oldestBeside } = migration
  if (oldestBeside === undefined) return
  const begun = performance.now()
  const untold = Math.min(appliedLevel, LAST_UNTOLD)
  for (;;) {
    const since = isPooled ? await now(db) : undefined
    const watchedFrom = performance.now()
    let older: Connected[] = []
    do {
      if (isPooled) await sleep(LOOK_EVERY_MS)
      older = (await connected(db, since)).filter(({ level }) => (level ?? untold) < oldestBeside)
    } while (isPooled && older.length === 0 && performance.now() - watchedFrom < WATCH_POOLER_MS)
    if (older.length === 0) return
    if (performance.now() - begun > waitMs)
      throw new MigrationError(
        `Migration ${fullName(migration)} must not run beside processes of an older version, and these are connected:\n` +
          `${older.map(each => `  ${shown(each)}`).join('\n')}\nStop all of them, then start this one again.`,
      )
    await sleep(LOOK_EVERY_MS)
  }
}

const now = async (db: Db) =>
  ((await db.first<{ now: string }>(sql`SELECT clock_timestamp()::text AS now`)) as { now: string }).now
