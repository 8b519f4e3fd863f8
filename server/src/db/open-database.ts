import type pg from 'pg'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { DomainError } from '../kit/domain-error.ts'
import { Database } from './database.ts'
import { launchEmbeddedDatabase } from './embedded-database.ts'
import { isUpToDate, migrate } from './migrate.ts'
import { schemaLevel } from './migration-files.ts'
import { processName } from './older-processes.ts'
import { patiently } from './patiently.ts'
import { sql } from './sql.ts'

const MIN_POSTGRES_VERSION = 150_000

export interface OpenDatabase {
  database: Database
  /** Settles when the database is reachable and supported. An embedded one is still starting when this object is returned. */
  ready: Promise<void>
  /** How to open a LISTEN connection; undefined behind a pooler, where connections are shared. */
  listening: pg.ClientConfig | undefined
  /** How the owner of the tables connects. */
  ownerConnection: pg.ClientConfig
  /** Connects as the owner of the tables; the caller closes the connection. */
  connectOwner(name: string): Database
  /** Applies pending migrations and returns their names. */
  migrate(): Promise<string[]>
  /** Closes all connections and stops the embedded PostgreSQL, unless another process uses it. */
  close(): Promise<void>
  /** Like `close`, without waiting for statements in flight. Nothing can be used afterwards. */
  abandon(waitForOthersMs?: number): Promise<void>
}

interface Connections {
  service: pg.ClientConfig
  owner: pg.ClientConfig
  /** The service's role, if it is not the owner and needs privileges on the tables. */
  serviceRole(database: Database): Promise<string | undefined>
  /** Settles when PostgreSQL is reachable and supported. */
  ready(database: Database): Promise<void>
  stop(waitForOthersMs?: number): Promise<void>
}

function ownConnections({ DATABASE_URL, TRIBUTARY_MIGRATION_DATABASE_URL }: Settings): Connections {
  return {
    service: { connectionString: DATABASE_URL },
    owner: { connectionString: TRIBUTARY_MIGRATION_DATABASE_URL ?? DATABASE_URL },
    serviceRole: async database =>
      TRIBUTARY_MIGRATION_DATABASE_URL === undefined ? undefined : roleWithoutTables(database),
    ready: assertSuitable,
    stop: async () => {},
  }
}

async function embeddedConnections(settings: Settings, log: Logger): Promise<Connections> {
  const postgres = await launchEmbeddedDatabase(settings.TRIBUTARY_DATA_DIR, log)
  return {
    service: postgres.service,
    owner: postgres.owner,
    serviceRole: async () => postgres.service.user,
    ready: () => postgres.ready,
    stop: waitForOthersMs => postgres.close(waitForOthersMs),
  }
}

async function assertSuitable(database: Database): Promise<void> {
  const row = await database.first<{ version: number; encoding: string; name: string }>(sql`
    SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS name,
           current_setting('server_encoding') AS encoding`)
  if (row && row.version < MIN_POSTGRES_VERSION)
    throw new DomainError(
      'unavailable',
      `DATABASE_URL is PostgreSQL ${row.name}; Tributary needs 15 or later.`,
    )
  if (row && row.encoding !== 'UTF8')
    throw new DomainError(
      'unavailable',
      `DATABASE_URL uses the encoding ${row.encoding}; Tributary needs UTF8.`,
    )
}

/** Queried rather than read from the URL, which may leave the role to the environment. The owner needs no privileges. */
async function roleWithoutTables(database: Database): Promise<string | undefined> {
  const row = await database.first<{ role: string; owns: boolean | null }>(sql`
    SELECT current_user AS role, (SELECT pg_get_userbyid(relowner) = current_user FROM pg_class
                                   WHERE oid = to_regclass('schema_migrations')) AS owns`)
  return row?.owns ? undefined : row?.role
}

export interface OpenOptions {
  /** The maximum number of connections, and of additional ones for exports. */
  max?: number
  exports?: number
}

/** Connects to the operator's PostgreSQL, or launches the embedded one. */
export async function openDatabase(
  settings: Settings,
  log: Logger,
  { max, exports = settings.TRIBUTARY_EXPORTS_AT_ONCE }: OpenOptions = {},
): Promise<OpenDatabase> {
  const connections = settings.DATABASE_URL
    ? ownConnections(settings)
    : await embeddedConnections(settings, log)
  const isPooled = settings.TRIBUTARY_DATABASE_POOLER === 'transaction'
  const connect = (config: pg.PoolConfig & { exports?: number }) =>
    new Database({ ...config, isPooled }, error =>
      log.warn({ err: error }, 'an idle database connection was lost'),
    )
  const database = connect({
    ...connections.service,
    application_name: processName(schemaLevel()),
    exports,
    ...(max !== undefined && { max }),
  })
  return {
    database,
    ready: patiently(() => connections.ready(database)),
    listening: isPooled ? undefined : connections.service,
    ownerConnection: connections.owner,
    connectOwner: name => connect({ ...connections.owner, application_name: name, max: 1 }),
    migrate: () =>
      patiently(async () => {
        const role = await connections.serviceRole(database)
        if (await isUpToDate(database, role)) return []
        return migrate({ ...connections.owner, application_name: 'tributary migrate' }, role, {
          log: message => log.warn(message),
          olderProcesses: { db: database, isPooled },
        })
      }),
    close: async () => {
      await database.close()
      await connections.stop()
    },
    abandon: waitForOthersMs => {
      database.expectDisconnects()
      return connections.stop(waitForOthersMs)
    },
  }
}
