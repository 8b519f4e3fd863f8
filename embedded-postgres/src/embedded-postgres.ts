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
  /** Settles when it can be connected to; rejects where it never will be. */
  readonly ready: Promise<void>
  /** The superuser `postgres` on the database `postgres`: for bootstrapping and tests only. */
  readonly admin: ConnectionSettings
  /** Owns the program's database and runs its migrations. */
  readonly owner: ConnectionSettings
  /** May only connect; what it may do with tables comes from the migrations. The service connects as it. */
  readonly service: ConnectionSettings
  /**
   * Stops watching; stops PostgreSQL (fast shutdown, waits for it) unless another process still uses it. Processes that were
   * killed a moment ago may be waited for until PostgreSQL has noticed.
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
   * A short name in lower case. The database and its roles are called by it, and so is what has to be outside the data directory:
   * in /var/lib and in /tmp. It must not change while there is a cluster.
   */
  program: string
  dataDir: string
  log: Log
}

/**
 * Launches the PostgreSQL of a data directory, or joins the one that runs there already. It returns before PostgreSQL is ready, so
 * that the caller can load the rest of the program meanwhile.
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
  let tellLaunched: (cluster: Cluster) => void = () => undefined
  const launched = new Promise<Cluster>(resolve => {
    tellLaunched = resolve
  })
  // The first presence is made under the lock: a process that closes at this moment either sees it and leaves
  // PostgreSQL running, or has stopped PostgreSQL before we look for it.
  const connected = withLock(lock, never, async () => {
    const cluster = await prepareCluster(program, dataDir, log)
    return { cluster, connection: await connectOrStart(cluster.startUp, never, () => tellLaunched(cluster)) }
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

/** Everything that has to be there before PostgreSQL can start; on later starts it only looks. */
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
        'Restore it from the backup that belongs to this database.',
    )
  }
  // Passwords come first: a cluster without them could never be used, while they do no harm without a cluster.
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
      // PostgreSQL died a moment ago, and either we or another process were just starting it again.
      if (!presence.isConnected && (await findPostmaster(data))) {
        presence.use(await connectOrStart(startUp, AbortSignal.timeout(CLOSING_CONNECT_MS)))
      }
      const isAlone = await presence.isAlone(waitForOthersMs)
      await presence.disconnect()
      if (isAlone === true) await stopPostmaster(data, log)
    })
  } catch (error) {
    // Left running it does no harm: the next start joins it.
    log.warn(`PostgreSQL could not be stopped and may go on running: ${messageOf(error)}`)
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

/** It becomes part of SQL statements and of paths. */
function programName(program: string): string {
  if (/^[a-z][a-z0-9_]{0,40}$/.test(program)) return program
  throw new TypeError(`"${program}" cannot name a program: use lower-case letters, digits and underscores`)
}

async function prepareDataDir(dataDir: string): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true })
  if (created !== undefined) await chmod(dataDir, 0o700)
  return realpath(dataDir)
}
