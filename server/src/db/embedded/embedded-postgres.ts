import { chmod, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { findPackage, prepareBinaries } from './binaries.ts'
import { clusterExists, createCluster } from './cluster.ts'
import { findHome, prepareHome } from './cluster-home.ts'
import { EmbeddedPostgresError, forOperator, messageOf } from './embedded-postgres-error.ts'
import { withLock } from './lock-file.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { Presence } from './presence.ts'
import { createSecrets, readSecrets, type Secrets } from './secrets.ts'
import { type ConnectionSettings, PORT } from './settings.ts'
import { connectOrStart, type StartUp } from './start-up.ts'
import { chooseServerUser } from './unprivileged-user.ts'

export { EmbeddedPostgresError } from './embedded-postgres-error.ts'
export type { ConnectionSettings } from './settings.ts'

export interface EmbeddedPostgres {
  /** The superuser `postgres` on the database `postgres`: for bootstrapping and tests only. */
  readonly admin: ConnectionSettings
  /** Owns the database `tributary` and runs the migrations. */
  readonly owner: ConnectionSettings
  /** May only connect; what it may do with tables comes from the migrations. The service connects as it. */
  readonly service: ConnectionSettings
  /** Stops watching; stops PostgreSQL (fast shutdown, waits for it) unless another process still uses it. */
  close(): Promise<void>
}

const CLOSING_CONNECT_MS = 10_000

interface Log {
  info(msg: string): void
  warn(msg: string): void
}

/** Starts the PostgreSQL of a data directory, or joins the one that runs there already. */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: Log
  /** Called when it has been launched and is not ready yet. */
  onLaunch?: () => void
}): Promise<EmbeddedPostgres> {
  try {
    const dataDir = await prepareDataDir(options.dataDir)
    return await start(dataDir, options.log, options.onLaunch)
  } catch (error) {
    throw forOperator(error, options.dataDir)
  }
}

async function start(dataDir: string, log: Log, onLaunch?: () => void): Promise<EmbeddedPostgres> {
  const lock = join(dataDir, 'postgres.lock')
  const never = new AbortController().signal
  // The first presence is made under the lock: a process that closes at this moment either sees it and leaves
  // PostgreSQL running, or has stopped PostgreSQL before we look for it.
  const { startUp, secrets, connection } = await withLock(lock, never, async () => {
    const prepared = await prepareCluster(dataDir, log)
    return { ...prepared, connection: await connectOrStart(prepared.startUp, never, onLaunch) }
  })
  const reconnect = (signal: AbortSignal) =>
    withLock(lock, signal, () => connectOrStart(startUp, signal)).catch((error: unknown) => {
      throw forOperator(error, dataDir)
    })
  const presence = new Presence(connection, reconnect, log)
  let closed: Promise<void> | undefined
  return {
    ...connections(startUp.home.socket, secrets),
    close() {
      closed ??= closePresence(presence, lock, startUp, log)
      return closed
    },
  }
}

/** Everything that has to be there before PostgreSQL can start; on later starts it only looks. */
async function prepareCluster(dataDir: string, log: Log): Promise<{ startUp: StartUp; secrets: Secrets }> {
  const source = await findPackage()
  const user = await chooseServerUser(join((await findHome(dataDir)) ?? join(dataDir, 'postgres'), 'data'))
  const home = await prepareHome(dataDir, user, log)
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
  const { admin } = connections(home.socket, secrets)
  return { secrets, startUp: { home, admin, user, native, log } }
}

async function closePresence(presence: Presence, lock: string, startUp: StartUp, log: Log): Promise<void> {
  await presence.stopWatching()
  try {
    await withLock(lock, new AbortController().signal, async () => {
      const { data } = startUp.home
      // PostgreSQL died a moment ago, and either we or another process were just starting it again.
      if (!presence.isConnected && (await findPostmaster(data))) {
        presence.use(await connectOrStart(startUp, AbortSignal.timeout(CLOSING_CONNECT_MS)))
      }
      const isAlone = await presence.isAlone()
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

function connections(socket: string, secrets: Secrets) {
  const to = (user: string, password: string, database: string): ConnectionSettings => ({
    host: socket,
    port: PORT,
    database,
    user,
    password,
  })
  return {
    admin: to('postgres', secrets.admin, 'postgres'),
    owner: to('tributary_owner', secrets.owner, 'tributary'),
    service: to('tributary_service', secrets.service, 'tributary'),
  }
}

async function prepareDataDir(dataDir: string): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true })
  if (created !== undefined) await chmod(dataDir, 0o700)
  return realpath(dataDir)
}
