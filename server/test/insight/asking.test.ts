/** The two questions of a report, also inside a transaction, as for a digest. */
import { expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { askingBoth } from '../../src/insight/asking.store.ts'
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
