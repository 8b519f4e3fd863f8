/** Protects installations that are replicated logically: everything that the service changes and deletes reaches the replica. */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BIN, OwnPostgres } from './support/own-postgres.ts'
import { type PayoutProgramme, startPayoutProgramme } from './support/payout-programme.ts'
import { must } from './support/program.ts'
import { newDataDir } from './support/temporary.ts'
import { until } from './support/until.ts'

/** One statement for each table that the service may update, and for each that it may delete from. */
const CHANGES = `
  SELECT format('DELETE FROM %I WHERE false', relname) AS statement FROM pg_class
   WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND has_table_privilege('service', oid, 'DELETE')
  UNION ALL
  SELECT DISTINCT ON (c.oid) format('UPDATE %I SET %I = %2$I WHERE false', relname, attname) FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attidentity = '' AND NOT a.attisdropped
   WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND has_column_privilege('service', c.oid, attnum, 'UPDATE')`

function replicated() {
  let postgres: OwnPostgres
  let programme: PayoutProgramme
  afterAll(async () => {
    await programme?.close()
    await programme?.service.stop()
    // A slot that is still in use would keep PostgreSQL from stopping.
    await postgres?.query('replica', 'ALTER SUBSCRIPTION everything DISABLE')
    await postgres?.stop()
  })

  beforeAll(async () => {
    postgres = await OwnPostgres.create('wal_level=logical')
    await postgres.query('postgres', 'CREATE ROLE owner LOGIN')
    await postgres.query('postgres', 'CREATE ROLE service LOGIN')
    await postgres.query('postgres', 'CREATE DATABASE source OWNER owner')
    const env = {
      DATABASE_URL: postgres.url('service', 'source'),
      TRIBUTARY_MIGRATION_DATABASE_URL: postgres.url('owner', 'source'),
      TRIBUTARY_SECRET_KEY: 'a secret key of at least 32 characters',
    }
    await must(['migrate'], { ...env, TRIBUTARY_DATA_DIR: await newDataDir() })
    await postgres.query('postgres', 'CREATE DATABASE replica TEMPLATE source OWNER owner')
    await postgres.query('source', 'CREATE PUBLICATION everything FOR ALL TABLES')
    // Within one server the slot has to be there before the subscription.
    await postgres.query('source', `SELECT pg_create_logical_replication_slot('everything', 'pgoutput')`)
    await postgres.query(
      'replica',
      `CREATE SUBSCRIPTION everything CONNECTION 'host=127.0.0.1 port=${postgres.port} dbname=source user=postgres'
       PUBLICATION everything WITH (create_slot = false, copy_data = false)`,
    )
    programme = await startPayoutProgramme(env)
  })

  test('a cancelled payout is cancelled on the replica too', async () => {
    const { earner, runJson, campaign, run } = programme
    await earner('jane', 10_000)
    const { digest } = await runJson('payout', 'preview', ...campaign)
    const { id } = await runJson('payout', 'create', ...campaign, '--digest', digest)
    await run('payout', 'cancel', '--id', String(id))
    const pins = 'SELECT account_id, commission_id, payout_item_id, released FROM pinned_commissions'
    const items = 'SELECT id, status, amount_minor FROM payout_items'
    const expected = [await postgres.query('source', pins), await postgres.query('source', items)]
    expect(expected[0]).toMatchObject([{ released: true }])
    expect(expected[1]).toMatchObject([{ status: 'canceled' }])
    await until('the replica says the same', async () => {
      const found = [await postgres.query('replica', pins), await postgres.query('replica', items)]
      return JSON.stringify(found) === JSON.stringify(expected)
    })
  })

  test('an endpoint that is deleted is deleted on the replica too', async () => {
    const { client } = programme
    const { id } = await client.webhookEndpoints.create({
      url: 'http://127.0.0.1:9/',
      events: ['payout.paid'],
    })
    await client.webhookEndpoints.delete(id)
    await until('the replica says the same', async () => {
      const [row] = await postgres.query(
        'replica',
        `SELECT deleted_at FROM webhook_endpoints WHERE id = ${id}`,
      )
      return row !== undefined && row.deleted_at !== null
    })
  })

  test('whatever the service may update or delete can be replicated', async () => {
    const statements = await postgres.query('source', CHANGES)
    const refused: string[] = []
    // PostgreSQL refuses it before it looks for rows.
    for (const { statement } of statements)
      await postgres
        .query('source', statement, 'service')
        .catch(error => refused.push(`${statement}: ${error.message}`))
    expect(refused).toEqual([])
    expect(statements.length).toBeGreaterThan(30)
  })

  test('a table without a key would be refused, so this test can tell', async () => {
    await postgres.query('source', 'CREATE TABLE keyless (id integer)')
    await expect(postgres.query('source', 'DELETE FROM keyless WHERE false')).rejects.toThrow(
      'replica identity',
    )
    await postgres.query('source', 'DROP TABLE keyless')
  })
}

// Chosen when the tests are defined, as for everything that needs an own PostgreSQL 15.
if (existsSync(BIN)) describe('with logical replication', replicated)
else
  describe('with logical replication', () => {
    test('there is no PostgreSQL 15 on this machine', () => expect(existsSync(BIN)).toBe(false))
  })
