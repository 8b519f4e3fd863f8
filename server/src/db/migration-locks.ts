import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { MigrationError } from './migration-files.ts'
import { withConnection } from './with-connection.ts'

/** Only one process migrates at a time. */
const MIGRATION_LOCK = `hashtextextended('tributary schema', 0)`
/** The lock that versions up to migration 19 take. */
const OLD_MIGRATION_LOCK = `hashtextextended('tributary migrations', 0)`
const LOCK_POLL_MS = 200

/** How long a migration may wait for a lock; requests queue up behind it for that long. */
const LOCK_TIMEOUT_MS = 1_000
const INITIAL_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 5_000
const GIVE_UP_AFTER_MS = 10 * 60_000

export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // If the connection is lost, so is the transaction.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** For migrating a database without other sessions in one transaction. */
export async function lockMigrations(client: pg.ClientBase): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
}

/** The migration lock is a session lock; a pooler in transaction mode would leave it on a connection that others use. */
export async function assertDirectConnection(client: pg.ClientBase, owner: pg.ClientConfig): Promise<void> {
  const pidOf = async (one: pg.ClientBase) => (await one.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
  // A pooler reuses the most recently used connection for the next client.
  const first = await pidOf(client)
  if (first === (await withConnection(owner, pidOf)))
    throw new MigrationError(
      'Migrations need a direct connection, and this one goes through a pooler in transaction mode. ' +
        'Point TRIBUTARY_MIGRATION_DATABASE_URL at PostgreSQL itself, or at a pool in session mode.',
    )
}

/**
 * Several processes may start at once: one migrates, and the others poll for the lock and then find nothing left to do. They do not
 * block in a statement, because CREATE INDEX CONCURRENTLY waits for every older one: a deadlock.
 */
export async function acquireMigrationLock(
  client: pg.ClientBase,
  { log = () => undefined }: LockRetryOptions,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS taken`)
    if (rows[0].taken) return
    if (tries === 0) log('another process is migrating the database; waiting for it')
    await sleep(LOCK_POLL_MS)
  }
}

/** A lock timeout, a deadlock, or a concurrent update of a catalogue row. */
const isLockProblem = (error: unknown) =>
  error instanceof pg.DatabaseError &&
  (error.code === '55P03' || error.code === '40P01' || /tuple concurrently updated/.test(error.message))

/** The oldest open transactions that this role may see. */
async function oldestTransactions(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query(`
    SELECT format('%s (%s, %s s)', pid, coalesce(nullif(application_name, ''), 'no name'),
                  extract(epoch FROM now() - xact_start)::integer) AS who
      FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < now() - interval '1 second'
     ORDER BY xact_start LIMIT 5`)
  return rows.length === 0 ? '' : ` Oldest open transactions: ${rows.map(({ who }) => who).join(', ')}.`
}

export interface LockRetryOptions {
  log?: (message: string) => void
  giveUpAfterMs?: number
}

/** Retries work that fails to get its locks, pausing in between so that requests do not queue up for long. */
export async function withLockRetries(
  client: pg.ClientBase,
  what: string,
  { log = () => undefined, giveUpAfterMs = GIVE_UP_AFTER_MS }: LockRetryOptions,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now()
  for (let pauseMs = INITIAL_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isLockProblem(error)) throw error
      const oldest = await oldestTransactions(client)
      if (performance.now() - startedAt + pauseMs > giveUpAfterMs)
        throw new MigrationError(
          `${what} did not get its locks within ${Math.round(giveUpAfterMs / 1000)} s. Earlier migrations stay applied.${oldest} ` +
            'End the sessions that hold them, then start again.',
        )
      log(`${what} is waiting for a lock; retrying in ${pauseMs / 1000} s.${oldest}`)
      await sleep(pauseMs)
    }
  }
}

/** Runs a transaction that gives up on a lock after a short wait. */
export const withLockTimeout = (client: pg.ClientBase, work: () => Promise<void>) =>
  inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(`SELECT pg_advisory_xact_lock(${OLD_MIGRATION_LOCK})`)
    await work()
  })

/** Releases the lock; if the connection was lost, PostgreSQL already has. */
export const releaseMigrationLock = (client: pg.ClientBase) =>
  client.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`).catch(() => undefined)
