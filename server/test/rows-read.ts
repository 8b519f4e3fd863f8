import type pg from 'pg'

/**
 * How many rows of a table and its partitions this reads, in a transaction that ends as given. As in the service, where statements are
 * prepared and soon get a generic plan.
 */
export async function rowsRead(
  client: pg.ClientBase,
  table: string,
  read: () => Promise<unknown>,
  end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
): Promise<number> {
  const total = async () => {
    const { rows } = await client.query(
      `SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::integer AS n FROM pg_stat_xact_user_tables WHERE starts_with(relname, $1)`,
      [table],
    )
    return rows[0].n
  }
  await client.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan')
  const before = await total()
  await read()
  const count = (await total()) - before
  await client.query(end)
  return count
}
