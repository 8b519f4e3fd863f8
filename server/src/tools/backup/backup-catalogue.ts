import type pg from 'pg'
import { grants } from '../../db/grants.ts'
import { BackupError, type BackupHeader, type BackupPartition, type BackupTable } from './backup-format.ts'

/** Session settings: a deterministic text format, and no statement timeouts meant for requests. */
const SESSION = {
  client_encoding: 'UTF8',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '3',
  bytea_output: 'hex',
  search_path: 'public',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
}

/** Sets only those that this version of PostgreSQL has. */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config(s.name, given.value, false) FROM pg_settings s
       JOIN unnest($1::text[], $2::text[]) AS given (name, value) ON lower(s.name) = given.name`,
    [Object.keys(SESSION), Object.values(SESSION)],
  )
}

/**
 * All logged tables: unlogged ones are not meant to last. Click partitions are read through their parent, and tables of extensions are
 * created by the extension.
 */
const TABLES = `
  SELECT c.relname AS name,
         ARRAY(SELECT a.attname::text FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                ORDER BY a.attnum) AS columns
    FROM pg_class c
   WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
     AND c.relnamespace = 'public'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
   ORDER BY c.relname`

/** Range partitions; the default partition is created by the migrations. */
const PARTITIONS = `
  SELECT c.relname AS name, p.relname AS parent, bounds[1] AS from, bounds[2] AS to
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent,
         regexp_match(pg_get_expr(c.relpartbound, c.oid), $$^FOR VALUES FROM \\('([^']+)'\\) TO \\('([^']+)'\\)$$) AS bounds
   WHERE c.relispartition AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND bounds IS NOT NULL
   ORDER BY c.relname`

const SEQUENCES = `
  SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
   WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY sequencename`

const UNREADABLE_SEQUENCES = `
  SELECT seqrelid::regclass::text AS name
    FROM pg_sequence
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = seqrelid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_class t ON t.oid = d.refobjid
   WHERE t.relnamespace = 'public'::regnamespace AND t.relname = ANY ($1) AND NOT has_sequence_privilege(seqrelid, 'SELECT, USAGE')
   ORDER BY 1`

/**
 * A sequence that the role may not read has no value for it, as if it had never been used. A restored database would start it at 1 again,
 * and give out IDs that exist.
 */
export async function assertSequencesReadable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(UNREADABLE_SEQUENCES, [Object.keys(grants)])
  if (rows[0])
    throw new BackupError(
      `A backup needs the role that owns the tables: this one can't read the sequence ${rows[0].name}. ` +
        'Set TRIBUTARY_MIGRATION_DATABASE_URL to connect as the owner.',
    )
}

export type Catalogue = Pick<BackupHeader, 'tables' | 'partitions' | 'sequences'>

export async function readCatalogue(client: pg.ClientBase): Promise<Catalogue> {
  const read = async <Row extends pg.QueryResultRow>(statement: string) =>
    (await client.query<Row>(statement)).rows
  return {
    tables: await read<BackupTable>(TABLES),
    partitions: await read<BackupPartition>(PARTITIONS),
    sequences: await read<{ name: string; value: string }>(SEQUENCES),
  }
}
