import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { ClusterHome } from './cluster-home.ts'
import { EmbeddedPostgresError, errorCode, messageOf } from './embedded-postgres-error.ts'
import { findPostmaster, type Launch, launchPostmaster, removeForeignLockFiles } from './postmaster.ts'
import type { ServerUser } from './run-program.ts'
import type { ConnectionSettings } from './settings.ts'

/** The application_name of a process's presence connection. */
const presenceName = (program: string) => `${program} presence`

const CONNECT_TIMEOUT_MS = 5_000
const POLL_MS = 5
const RECOVERY_MS = 60_000
const RECOVERY_NOTICE_MS = 5_000
// After kill -9 of the postmaster its sessions end within milliseconds, unless one is deep in a long query.
const RELAUNCH_MS = 15_000
const RELAUNCH_PAUSE_MS = 100

/** PostgreSQL is running but unavailable: starting up, shutting down, out of connections. */
const BUSY_CODES = ['57P03', '53300']
const WRONG_PASSWORD_CODES = ['28P01', '28000']

export interface StartUp {
  home: ClusterHome
  admin: ConnectionSettings
  user: ServerUser | undefined
  /** Prepares the binaries; called only when PostgreSQL has to be started. */
  native(): Promise<string>
  log: { info(msg: string): void; warn(msg: string): void }
}

export interface Connection {
  client: Client
  /** Settles when the connection ends. Subscribed on connect, so that no end is missed. */
  ended: Promise<void>
}

/**
 * Returns a presence connection, starting PostgreSQL if none runs on the cluster. The caller holds the lock.
 *
 * The socket is tried before the pid file: a server that accepts our password is our PostgreSQL, even if it runs in
 * another container, where its pid means nothing to us.
 */
export async function connectOrStart(
  start: StartUp,
  signal: AbortSignal,
  onLaunch?: () => void,
): Promise<Connection> {
  const begin = Date.now()
  let launch: Launch | undefined
  let noticed = false
  for (;;) {
    signal.throwIfAborted()
    const attempt = await tryConnect(start.admin, presenceName(start.home.program))
    if (!(attempt instanceof Error)) return attempt
    const elapsedMs = Date.now() - begin
    if (elapsedMs > RECOVERY_MS) throw notReady(start.home, attempt)
    if (elapsedMs > RECOVERY_NOTICE_MS && !noticed) {
      start.log.info(`waiting for PostgreSQL to become ready (${messageOf(attempt)})`)
      noticed = true
    }
    const failure = await launch?.failure()
    if (failure !== undefined) {
      if (!isPassing(failure) || elapsedMs > RELAUNCH_MS) throw launchFailed(start.home, failure)
      launch = undefined
      await sleep(RELAUNCH_PAUSE_MS, undefined, { signal })
    }
    const isComing = launch || BUSY_CODES.includes(errorCode(attempt) ?? '')
    if (!isComing && (await findPostmaster(start.home.data)) === undefined) {
      await removeForeignLockFiles(start.home)
      launch = await launchPostmaster(start.home, await start.native(), start.user, onLaunch)
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** A connection, or the reason why there is none yet. A permanent reason is thrown. */
async function tryConnect(admin: ConnectionSettings, name: string): Promise<Connection | Error> {
  const client = new Client({
    ...admin,
    // Explicit, because the driver would otherwise read PGSSLMODE from the environment.
    ssl: false,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  })
  // Every error is followed by the end of the connection, which the presence handles.
  client.on('error', () => undefined)
  const ended = new Promise<void>(resolve => {
    client.once('end', resolve)
  })
  try {
    await client.connect()
    return { client, ended }
  } catch (error) {
    await client.end()
    if (WRONG_PASSWORD_CODES.includes(errorCode(error) ?? '')) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL does not accept the passwords in postgres.json (${messageOf(error)}). ` +
          'Restore postgres.json from the matching backup.',
        { cause: error },
      )
    }
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Transient: sessions of a killed postmaster still hold the shared memory, a stopping server holds its lock file, or it was killed. */
function isPassing(failure: string): boolean {
  return /shared memory block .* is still in use|lock file .* already exists|^killed by /.test(failure)
}

function notReady(home: ClusterHome, reason: Error): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL was not ready after ${RECOVERY_MS / 1000} s (${reason.message}). It may still be recovering from a crash: ` +
      `check its log in ${home.log} and start again when it is ready.`,
    { cause: reason },
  )
}

function launchFailed(home: ClusterHome, failure: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL did not start: ${failure}\nCheck its log in ${home.log}, fix the cause and start again.`,
  )
}
