import type pg from 'pg'

/** Foreign keys, indexes without a constraint, and triggers on new rows, each with the statements that drop and recreate it. */
const DEFERRED = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname) AS drop,
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) AS make
    FROM pg_constraint k
   WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid = ANY ($1::regclass[])
  UNION ALL
  SELECT format('DROP INDEX %s', i.indexrelid::regclass),
         -- ON ONLY would leave out the partitions.
         replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
    FROM pg_index i
   WHERE i.indrelid = ANY ($1::regclass[])
     AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
  UNION ALL
  -- What a new row makes a trigger write is in the backup already. Those that protect rows from changes stay.
  SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass), pg_get_triggerdef(t.oid)
    FROM pg_trigger t
   WHERE NOT t.tgisinternal AND t.tgrelid = ANY ($1::regclass[]) AND (t.tgtype & 4) <> 0`

/**
 * Loads tables without foreign keys, most indexes and triggers on new rows, and recreates them afterwards as defined by the schema. With the checks at the end,
 * a million rows load in a third of the time; checked row by row, pending triggers also pile up in the server's memory.
 */
export async function deferConstraints<T>(
  client: pg.ClientBase,
  tables: string[],
  load: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ drop: string; make: string }>(DEFERRED, [tables])
  for (const { drop } of rows) await client.query(drop)
  const result = await load()
  for (const { make } of rows) await client.query(make)
  return result
}
