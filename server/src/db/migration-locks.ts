import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { MigrationError } from './migration-files.ts'
import { withConnection } from './with-connection.ts'

/** For the migrations of one process at a time. */
const TURN = `hashtextextended('tributary schema', 0)`
/** What versions up to migration 19 lock while they migrate. */
const TURN_OF_EARLIER_VERSIONS = `hashtextextended('tributary migrations', 0)`
const TRY_TURN_EVERY_MS = 200

/** How long a migration may wait for a lock, and with it every request that queues up behind it. */
const LOCK_TIMEOUT_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5_000
const GIVE_UP_AFTER_MS = 10 * 60_000

export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // Where the connection is gone, so is the transaction.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** For a transaction that applies migrations to a database of nobody else's. */
export async function lockMigrations(client: pg.ClientBase): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(${TURN})`)
}

/** A lock of the session is held between transactions too; a pooler in transaction mode would leave it with a connection of others. */
export async function assertOwnSession(client: pg.ClientBase, owner: pg.ClientConfig): Promise<void> {
  const pidOf = async (one: pg.ClientBase) => (await one.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
  // A pooler hands the connection that has just been used to whoever comes next.
  const first = await pidOf(client)
  if (first === (await withConnection(owner, pidOf)))
    throw new MigrationError(
      'Migrations need a connection of their own, and this one leads through a pooler in transaction mode: ' +
        'let TRIBUTARY_MIGRATION_DATABASE_URL name PostgreSQL itself, or a pool in session mode.',
    )
}

/**
 * Several processes may start at once: one migrates, the others come here again and again and then find nothing left to do. They do
 * not wait inside a statement, since making an index concurrently waits in turn for every statement that is older.
 */
export async function takeTurn(client: pg.ClientBase, { log = () => undefined }: Patience): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${TURN}) AS taken`)
    if (rows[0].taken) return
    if (tries === 0) log('another process is migrating the database; waiting for it')
    await sleep(TRY_TURN_EVERY_MS)
  }
}

/** A lock that was not to be had in time, a deadlock, or a row of PostgreSQL's own catalogue that another session changed as well. */
const isLockProblem = (error: unknown) =>
  error instanceof pg.DatabaseError &&
  (error.code === '55P03' || error.code === '40P01' || /tuple concurrently updated/.test(error.message))

/** Whoever has had a transaction open for longest, as far as this role may see them. */
async function longestOpen(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query(`
    SELECT format('%s (%s, %s s)', pid, coalesce(nullif(application_name, ''), 'no name'),
                  extract(epoch FROM now() - xact_start)::integer) AS who
      FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < now() - interval '1 second'
     ORDER BY xact_start LIMIT 5`)
  return rows.length === 0 ? '' : ` Open for longest: ${rows.map(({ who }) => who).join(', ')}.`
}

export interface Patience {
  log?: (message: string) => void
  giveUpAfterMs?: number
}

/** Carries out a piece of work that needs locks; gives them back after a moment and tries again later, so that nobody queues up for long. */
export async function withPatience(
  client: pg.ClientBase,
  what: string,
  { log = () => undefined, giveUpAfterMs = GIVE_UP_AFTER_MS }: Patience,
  work: () => Promise<void>,
): Promise<void> {
  const begun = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isLockProblem(error)) throw error
      const open = await longestOpen(client)
      if (performance.now() - begun + pauseMs > giveUpAfterMs)
        throw new MigrationError(
          `${what} did not get its locks in ${Math.round(giveUpAfterMs / 1000)} s; what was applied before it stays.${open} ` +
            'End what holds them, then start again.',
        )
      log(`${what} waits for a lock; trying again in ${pauseMs / 1000} s.${open}`)
      await sleep(pauseMs)
    }
  }
}

/** A transaction that waits for no lock longer than a moment. */
export const briefly = (client: pg.ClientBase, work: () => Promise<void>) =>
  inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(`SELECT pg_advisory_xact_lock(${TURN_OF_EARLIER_VERSIONS})`)
    await work()
  })

/** Gives the turn back; where the connection is gone, it has gone with it. */
export const endTurn = (client: pg.ClientBase) =>
  client.query(`SELECT pg_advisory_unlock(${TURN})`).catch(() => undefined)
