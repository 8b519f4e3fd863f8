import { chmod, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { findPackage, prepareBinaries } from './binaries.ts'
import { clusterExists, createCluster } from './cluster.ts'
import { type ClusterHome, findHome, prepareHome } from './cluster-home.ts'
import { EmbeddedPostgresError, forOperator, messageOf } from './embedded-postgres-error.ts'
import { withLock } from './lock-file.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { Presence } from './presence.ts'
import { createSecrets, readSecrets, type Secrets } from './secrets.ts'
import { type ConnectionSettings, PORT, roleNames } from './settings.ts'
import { connectOrStart, type StartUp } from './start-up.ts'
import { chooseServerUser } from './unprivileged-user.ts'

export { EmbeddedPostgresError, type Remedy } from './embedded-postgres-error.ts'
export type { ConnectionSettings } from './settings.ts'

export interface EmbeddedPostgres {
  /** Resolves once it accepts connections; rejects if it never will. */
  readonly ready: Promise<void>
  /** The superuser `postgres` on the database `postgres`: for bootstrapping and tests only. */
  readonly admin: ConnectionSettings
  /** Owns the program's database and runs its migrations. */
  readonly owner: ConnectionSettings
  /** The role of the service. May only connect; the migrations grant it access to tables. */
  readonly service: ConnectionSettings
  /**
   * Stops watching, and stops PostgreSQL (fast shutdown, waits for it) unless another process still uses it. With a time to wait,
   * processes that were just killed no longer count once PostgreSQL has noticed.
   */
  close(waitForOthersMs?: number): Promise<void>
}

const CLOSING_CONNECT_MS = 10_000

interface Log {
  info(msg: string): void
  warn(msg: string): void
}

interface Options {
  /**
   * A short lower-case name. The database, its roles and the directories outside the data directory (in /var/lib and /tmp) are named
   * after it. It must not change while there is a cluster.
   */
  program: string
  dataDir: string
  log: Log
}

/**
 * Launches the PostgreSQL of a data directory, or joins the one that is already running. Returns before PostgreSQL is ready, so that the
 * caller can load the rest of the program in the meantime.
 */
export async function launchEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  try {
    return await launch(programName(options.program), await prepareDataDir(options.dataDir), options.log)
  } catch (error) {
    throw forOperator(error, options.dataDir)
  }
}

async function launch(program: string, dataDir: string, log: Log): Promise<EmbeddedPostgres> {
  const lock = join(dataDir, 'postgres.lock')
  const never = new AbortController().signal
  let resolveLaunched: (cluster: Cluster) => void = () => undefined
  const launched = new Promise<Cluster>(resolve => {
    resolveLaunched = resolve
  })
  // The first presence is created under the lock: a process that is closing now either sees it and leaves PostgreSQL running, or has
  // stopped PostgreSQL before we look for it.
  const connected = withLock(lock, never, async () => {
    const cluster = await prepareCluster(program, dataDir, log)
    return {
      cluster,
      connection: await connectOrStart(cluster.startUp, never, () => resolveLaunched(cluster)),
    }
  })
  const { startUp, secrets } = await Promise.race([launched, connected.then(({ cluster }) => cluster)])
  const connect = (signal: AbortSignal) =>
    withLock(lock, signal, () => connectOrStart(startUp, signal)).catch((error: unknown) => {
      throw forOperator(error, dataDir)
    })
  const presence = connected.then(({ connection }) => new Presence(connection, connect, log))
  const ready = presence.then(
    () => undefined,
    error => {
      throw forOperator(error, dataDir)
    },
  )
  let closed: Promise<void> | undefined
  return {
    ...connections(startUp.home, secrets),
    ready,
    close(waitForOthersMs = 0) {
      closed ??= presence.then(
        present => closePresence(present, lock, startUp, log, waitForOthersMs),
        // It never started; `ready` rejects with the reason.
        () => undefined,
      )
      return closed
    },
  }
}

interface Cluster {
  startUp: StartUp
  secrets: Secrets
}

/** Creates everything that PostgreSQL needs to start; later starts only check. */
async function prepareCluster(program: string, dataDir: string, log: Log): Promise<Cluster> {
  const source = await findPackage()
  const user = await chooseServerUser(join((await findHome(dataDir)) ?? join(dataDir, 'postgres'), 'data'))
  const home = await prepareHome(program, dataDir, user, log)
  const native = () => prepareBinaries(source, home.directory, user)

  const secretsPath = join(dataDir, 'postgres.json')
  const exists = await clusterExists(home.data, source)
  const known = await readSecrets(secretsPath)
  if (exists && !known) {
    throw new EmbeddedPostgresError(
      `${secretsPath}, which holds the passwords of the database in ${home.data}, is missing. ` +
        'Restore it from the matching backup.',
    )
  }
  // Passwords first: a cluster without them is unusable, while passwords without a cluster are harmless.
  const secrets = known ?? (await createSecrets(secretsPath))
  if (!exists) await createCluster(home, await native(), user, secrets)
  const { admin } = connections(home, secrets)
  return { secrets, startUp: { home, admin, user, native, log } }
}

async function closePresence(
  presence: Presence,
  lock: string,
  startUp: StartUp,
  log: Log,
  waitForOthersMs: number,
): Promise<void> {
  await presence.stopWatching()
  try {
    await withLock(lock, new AbortController().signal, async () => {
      const { data } = startUp.home
      // PostgreSQL has just died, and this or another process was restarting it.
      if (!presence.isConnected && (await findPostmaster(data))) {
        presence.use(await connectOrStart(startUp, AbortSignal.timeout(CLOSING_CONNECT_MS)))
      }
      const isAlone = await presence.isAlone(waitForOthersMs)
      await presence.disconnect()
      if (isAlone === true) await stopPostmaster(data, log)
    })
  } catch (error) {
    // Harmless if left running: the next start joins it.
    log.warn(`failed to stop PostgreSQL; it may still be running: ${messageOf(error)}`)
  } finally {
    await presence.disconnect()
  }
}

function connections({ socket, program }: ClusterHome, secrets: Secrets) {
  const to = (user: string, password: string, database: string): ConnectionSettings => ({
    host: socket,
    port: PORT,
    database,
    user,
    password,
  })
  const { database, owner, service } = roleNames(program)
  return {
    admin: to('postgres', secrets.admin, 'postgres'),
    owner: to(owner, secrets.owner, database),
    service: to(service, secrets.service, database),
  }
}

/** The name becomes part of SQL statements and paths. */
function programName(program: string): string {
  if (/^[a-z][a-z0-9_]{0,40}$/.test(program)) return program
  throw new TypeError(`invalid program name "${program}": use lower-case letters, digits and underscores`)
}

async function prepareDataDir(dataDir: string): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true })
  if (created !== undefined) await chmod(dataDir, 0o700)
  return realpath(dataDir)
}
