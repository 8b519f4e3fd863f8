import type { Settings } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import { assertCompatible, knownMigrations, MigrationError } from '../../db/migration-files.ts'
import { sql } from '../../db/sql.ts'
import { countryFileProblem } from '../../earning/tracking/countries.ts'
import { findWrongDays } from '../../insight/wrong-days.store.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { ledgerInvariants } from '../../money/ledger/invariants.ts'
import { hasMatchingSecretKey } from './secret-key-check.ts'

/** Returns the problems found, one line each; empty if the check passes. */
type Check = (
  db: Db,
  secrets: SecretBox,
  settings: Pick<Settings, 'TRIBUTARY_CLICK_RETENTION_DAYS' | 'TRIBUTARY_GEO_DATABASE'>,
) => Promise<string[]>

/** The checks of `tributary doctor`, in this order. */
export const checks: Record<string, Check> = {
  migrations: async db => {
    const [table] = await db.many<{ present: boolean }>(
      sql`SELECT to_regclass('schema_migrations') IS NOT NULL AS present`,
    )
    const applied = table?.present
      ? await db.many<{ version: number; checksum: string }>(
          sql`SELECT version, checksum FROM schema_migrations`,
        )
      : []
    const known = knownMigrations()
    try {
      assertCompatible(known, applied)
    } catch (error) {
      if (error instanceof MigrationError) return [error.message]
      throw error
    }
    return known
      .filter(({ version }) => !applied.some(row => row.version === version))
      .map(({ version, name }) => `migration ${version} (${name}) is not applied; run tributary migrate`)
  },

  'secret key': async (db, secrets) =>
    (await hasMatchingSecretKey(db, secrets))
      ? []
      : ['TRIBUTARY_SECRET_KEY does not match the key that this database was encrypted with'],

  'service role': async db => {
    const [role] = await db.many<{ name: string; superuser: boolean }>(
      sql`SELECT rolname AS name, rolsuper AS superuser FROM pg_roles WHERE rolname = current_user`,
    )
    return role?.superuser
      ? [`the service connects as superuser ${role.name}; use a role without superuser privileges`]
      : []
  },

  'constraints and indexes': async db => {
    const broken = await db.many<{ problem: string }>(sql`
      SELECT format('constraint %s on %s is not validated', conname, conrelid::regclass) AS problem
        FROM pg_constraint WHERE NOT convalidated AND connamespace = 'public'::regnamespace
      UNION ALL
      -- That of a partitioned table is not valid while a partition has none; each partition's own is looked at.
      SELECT format('index %s is not valid', indexrelid::regclass)
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE NOT indisvalid AND relkind <> 'I' AND relnamespace = 'public'::regnamespace`)
    return broken.map(({ problem }) => problem)
  },

  // A backup may be restored onto a PostgreSQL with older zone data, where the account would have no reports.
  'time zones': async db => {
    const unknown = await db.many<{ id: number; time_zone: string }>(sql`
      /* every account */ SELECT a.id, a.time_zone FROM accounts a
       WHERE NOT EXISTS (SELECT FROM pg_timezone_names z WHERE z.name = a.time_zone) ORDER BY a.id LIMIT 20`)
    return unknown.map(
      ({ id, time_zone }) =>
        `account ${id} has the time zone ${time_zone}, which this PostgreSQL does not have; run tributary account update`,
    )
  },

  ...ledgerInvariants,

  'a rolled up day counts its rows': (db, _secrets, settings) =>
    findWrongDays(db, settings.TRIBUTARY_CLICK_RETENTION_DAYS),

  'country database': async (_db, _secrets, { TRIBUTARY_GEO_DATABASE: path }) => {
    const problem = path === undefined ? null : await countryFileProblem(path)
    return problem === null ? [] : [problem]
  },
}
