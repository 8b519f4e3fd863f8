/** Protects replicas: a table without a primary key cannot be updated or deleted from where it is replicated logically. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from './harness.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
  await database.owner.query('SELECT prepare_click_months()')
})
afterAll(() => database.drop())

it('every table has a primary key, and so has every partition', async () => {
  const { rows } = await database.owner.query(`
    SELECT c.relname FROM pg_class c
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid)`)
  expect(rows).toEqual([])
  const { rows: tables } = await database.owner.query(
    `SELECT count(*) FILTER (WHERE relispartition)::integer AS partitions, count(*)::integer AS tables
       FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
  )
  expect(tables[0].partitions).toBeGreaterThan(2)
  expect(tables[0].tables).toBeGreaterThan(40)
})
