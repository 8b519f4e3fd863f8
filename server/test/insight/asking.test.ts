/** The two questions of a report, also inside a transaction, as for a digest. */
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { asking, askingBoth } from '../../src/insight/asking.store.ts'
import { useOwnScene } from '../harness.ts'

const scene = useOwnScene()
const dividing = (by: number) => async (tx: Tx) =>
  (await tx.first<{ value: number }>(sql`SELECT 2 / ${by}::integer AS value`))?.value
const two = dividing(1)
const fails = dividing(0)
const DIVISION_BY_ZERO = { code: '22012' }

it('answers both, alone and inside a transaction', async () => {
  const { db } = scene.database
  expect(await askingBoth(db, two, two)).toEqual([2, 2])
  expect(await db.transaction(tx => askingBoth(tx, two, two))).toEqual([2, 2])
})

it.each([
  ['first', [fails, two]],
  ['second', [two, fails]],
] as const)(
  'fails with the reason of the %s, and leaves its transaction usable',
  async (_name, [one, other]) => {
    const { db } = scene.database
    await expect(askingBoth(db, one, other)).rejects.toMatchObject(DIVISION_BY_ZERO)
    const after = await db.transaction(async tx => {
      await expect(askingBoth(tx, one, other)).rejects.toMatchObject(DIVISION_BY_ZERO)
      return two(tx)
    })
    expect(after).toBe(2)
  },
)

it('hashes without regard to what PostgreSQL expects where clicks are many', async () => {
  const { db, service } = scene.database
  const memory = () =>
    asking(
      db,
      async tx =>
        (await tx.first<{ times: string }>(sql`SELECT current_setting('hash_mem_multiplier') AS times`))
          ?.times,
    )
  expect(await memory()).toBe('2')
  const admin = new pg.Client({ ...inject('postgres').admin, database: service.database })
  await admin.connect()
  await admin.query(
    `UPDATE pg_class SET reltuples = 20000000
      WHERE oid = (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'clicks'::regclass LIMIT 1)`,
  )
  await admin.end()
  expect(await memory()).toBe('64')
})
