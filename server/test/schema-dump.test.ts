/** Protects reviewers: server/schema.sql shows what the migrations add up to, the same on every PostgreSQL we run on. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from './harness.ts'
import { dumpSchema } from './schema-dump.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

it('server/schema.sql is what the migrations make (npm run schema writes it)', async () => {
  await expect(await dumpSchema(database.owner)).toMatchFileSnapshot('../schema.sql')
})

it('every constraint is validated, or doctor would find it', async () => {
  expect(await dumpSchema(database.owner)).not.toMatch(/NOT VALID|INVALID/)
})

it('the dump sees a change of any kind', async () => {
  const before = await dumpSchema(database.owner)
  const client = await database.owner.connect()
  try {
    for (const change of [
      'ALTER TABLE campaigns ADD COLUMN extra integer',
      'ALTER TABLE campaigns ALTER COLUMN name DROP NOT NULL',
      'ALTER TABLE campaigns ALTER COLUMN hold_days SET DEFAULT 7',
      'ALTER TABLE campaigns ALTER COLUMN hold_days TYPE bigint',
      'ALTER TABLE campaigns ADD CHECK (hold_days < 9)',
      'DROP INDEX enrolments_by_campaign',
      'CREATE TABLE extra (id integer)',
      'ALTER TABLE commissions DISABLE TRIGGER commissions_only_move_forward',
      'CREATE FUNCTION extra() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
      'ALTER TABLE api_key_admissions SET LOGGED',
    ]) {
      await client.query('BEGIN')
      await client.query(change)
      expect([change, (await dumpSchema(client)) === before]).toEqual([change, false])
      await client.query('ROLLBACK')
    }
  } finally {
    client.release()
  }
})
