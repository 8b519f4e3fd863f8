import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/**
 * Visitors that come again on a day are looked up among those of its rest (`isCounted`). PostgreSQL hashes these only if it expects them to
 * fit, and would else look through all of them for each click.
 */
export const hashManyRows = (tx: Tx): void =>
  tx.send(sql`SELECT set_config('hash_mem_multiplier', '64', true)`)

/** A question's range isn't known when it is planned: PostgreSQL expects a share of all clicks. With fewer, more memory makes questions slower. */
const MANY_CLICKS = 10_000_000
const hashManyClicks = (tx: Tx): void =>
  tx.send(sql`
    SELECT set_config('hash_mem_multiplier', '64', true)
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'clicks'::regclass HAVING sum(c.reltuples) > ${MANY_CLICKS}::double precision`)

/**
 * Asks questions about roll-ups in one transaction, whose statements are planned once for each connection: they read the same whatever
 * their values are, and planning them took longer than most take to read. Nor are they compiled, which takes longer still.
 */
export const asking = <T>(db: Db, ask: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(
    async tx => {
      hashManyClicks(tx)
      tx.send(
        sql`SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)`,
      )
      return ask(tx)
    },
    { keepsPlans: true },
  )

/** Two such questions at once. Inside a transaction one after the other: their savepoints must not overlap, and there is one connection. */
export const askingBoth = async <A, B>(
  db: Db,
  ask: (tx: Tx) => Promise<A>,
  alsoAsk: (tx: Tx) => Promise<B>,
): Promise<[A, B]> =>
  'inTransaction' in db
    ? [await asking(db, ask), await asking(db, alsoAsk)]
    : Promise.all([asking(db, ask), asking(db, alsoAsk)])

/**
 * Asks what depends on the values: how many rows an affiliate or a range has decides how it is read. They may be many, and are sorted in memory.
 */
export const planningAnew = <T>(db: Db, ask: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async tx => {
    tx.send(
      sql`SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true), set_config('work_mem', '16MB', true)`,
    )
    return ask(tx)
  })
