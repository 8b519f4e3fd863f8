/** Protects the money from the program itself: the service's role cannot do more than it needs, and the ledger only grows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grants, grantTo } from '../src/db/grants.ts'
import { isUpToDate } from '../src/db/migrate.ts'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildCommission,
  buildPayout,
  type Place,
} from './factories.ts'
import { createDatabase, type TestDatabase } from './harness.ts'

let database: TestDatabase
let place: Place
beforeAll(async () => {
  database = await createDatabase()
  const account = await buildAccount(database)
  const campaign = await buildCampaign(database, account.id)
  const affiliate = await buildAffiliate(database, account.id, campaign.id)
  place = { account_id: account.id, campaign_id: campaign.id, affiliate_id: affiliate.id }
  await buildPayout(database, place)
})
afterAll(() => database.drop())

const service = (statement: string) => database.db.pool.query(statement)
const owner = (statement: string) => database.owner.query(statement)

it('every table of the schema is in grants, and nothing else is', async () => {
  const { rows } = await owner(
    `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
  )
  expect(Object.keys(grants).toSorted()).toEqual(rows.map(({ relname }) => relname).toSorted())
})

it('the service is no superuser, owns nothing, and may make neither roles nor databases', async () => {
  const { rows } = await service(`
    SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication,
           (SELECT count(*)::integer FROM pg_class WHERE relowner = pg_roles.oid) AS owned
    FROM pg_roles WHERE rolname = current_user`)
  expect(rows).toEqual([
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolbypassrls: false,
      rolreplication: false,
      owned: 0,
    },
  ])
})

it('has exactly the rights that grants lists', async () => {
  const { rows } = await service(`
    SELECT table_name, privilege_type, NULL AS column_name FROM information_schema.table_privileges
     WHERE grantee = current_user AND table_schema = 'public'`)
  for (const { table_name, privilege_type } of rows)
    expect([table_name, grants[table_name]?.replaceAll(/\w+ \([^)]*\)/g, '')]).toEqual([
      table_name,
      expect.stringContaining(privilege_type),
    ])
  const whole = Object.values(grants).flatMap(
    rights => rights.replaceAll(/\w+ \([^)]*\)/g, '').match(/[A-Z]+/g) ?? [],
  )
  expect(rows).toHaveLength(whole.length)
})

describe('whether anything is left to migrate or to grant', () => {
  const role = async () => (await service('SELECT current_user AS name')).rows[0].name as string

  it('nothing is, right after it was done', async () => {
    expect(await isUpToDate(database.db, await role())).toBe(true)
  })

  it.each([
    'REVOKE SELECT ON campaigns FROM @role',
    'GRANT DELETE ON commissions TO @role',
    'GRANT UPDATE (amount_minor) ON commissions TO @role',
    'REVOKE USAGE ON SEQUENCE clicks_id_seq FROM @role',
    'REVOKE SELECT ON schema_migrations FROM @role',
    'COMMENT ON TABLE schema_migrations IS NULL',
    'DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)',
  ])('something is after %s', async change => {
    const spoilt = await createDatabase()
    try {
      await spoilt.owner.query(change.replace('@role', await role()))
      expect(await isUpToDate(spoilt.db, await role())).toBe(false)
    } finally {
      await spoilt.drop()
    }
  })

  it('something is for another role', async () => {
    expect(await isUpToDate(database.db, 'somebody_else')).toBe(false)
  })

  it('nothing is once it was granted again', async () => {
    const client = await database.owner.connect()
    try {
      await client.query(`GRANT DELETE ON commissions TO ${await role()}`)
      await grantTo(client, await role())
    } finally {
      client.release()
    }
    expect(await isUpToDate(database.db, await role())).toBe(true)
    await expect(service('DELETE FROM commissions')).rejects.toMatchObject({ code: '42501' })
  })
})

describe('the service cannot', () => {
  it.each([
    'UPDATE commissions SET amount_minor = 1',
    'UPDATE commissions SET payout_amount_minor = 1',
    "UPDATE commissions SET currency = 'EUR'",
    'UPDATE commissions SET account_id = 1',
    'DELETE FROM commissions',
    'TRUNCATE commissions',
    'UPDATE payouts SET total_minor = 1',
    'DELETE FROM payouts',
    'UPDATE payout_items SET amount_minor = 1',
    'DELETE FROM payout_items',
    'UPDATE referrals SET customer_ref = $$x$$',
    'DELETE FROM affiliates',
    'UPDATE api_keys SET key_hash = $$x$$',
    'UPDATE api_keys SET account_id = 1',
    'UPDATE users SET email_key = $$x$$',
    'DELETE FROM users',
    'UPDATE audit_log SET actor_name = $$x$$',
    'DELETE FROM audit_log',
    'UPDATE pinned_commissions SET commission_id = 1',
    'DELETE FROM pinned_commissions',
    'UPDATE payout_submissions SET sender_batch_id = $$x$$',
    'UPDATE mails SET to_address = $$x$$',
    'UPDATE installation SET secret_key_check = $$x$$',
    'DELETE FROM schema_migrations',
    'CREATE TABLE mine (id integer)',
    'CREATE SCHEMA mine',
    'ALTER TABLE commissions DISABLE TRIGGER ALL',
    'DROP TRIGGER commissions_only_move_forward ON commissions',
    'SET session_replication_role = replica',
    'CREATE ROLE mine',
  ])('%s', async statement => {
    await expect(service(statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a commission, even for the owner of the tables,', () => {
  const statuses = ['pending', 'approved', 'paid', 'void'] as const
  const forward = ['pending>approved', 'pending>void', 'approved>paid']
  const moves = statuses.flatMap(from => statuses.map(to => [from, to] as const))

  it.each(moves)('going from %s to %s is allowed only forward', async (from, to) => {
    const id = await buildCommission(database, place, { status: from })
    const move = owner(`UPDATE commissions SET status = '${to}' WHERE id = ${id}`)
    if (from === to || forward.includes(`${from}>${to}`)) expect((await move).rowCount).toBe(1)
    else await expect(move).rejects.toThrow(`cannot go from ${from} to ${to}`)
  })

  it.each([
    'amount_minor = amount_minor + 1',
    "amount_minor = 1, payout_amount_minor = 1, status = 'approved'",
    "currency = 'EUR'",
    "payout_currency = 'EUR'",
    "entry_type = 'credit'",
    "beneficiary = 'referee'",
    "description = 'x'",
    'hold_until = now()',
    'created_at = now() - interval $$1 day$$',
  ])('cannot be changed: %s', async change => {
    const id = await buildCommission(database, place)
    await expect(owner(`UPDATE commissions SET ${change} WHERE id = ${id}`)).rejects.toThrow(
      'cannot be changed',
    )
  })

  it('cannot be deleted', async () => {
    await buildCommission(database, place)
    await expect(owner('DELETE FROM commissions')).rejects.toThrow('the ledger only grows')
  })

  it.each([
    ['earned', 0],
    ['earned', -1],
    ['credit', 0],
    ['credit', -5],
    ['clawback', 1],
    ['clawback', 0],
    ['payout', 1],
    ['payout', 0],
    ['adjustment', 0],
  ] as const)('cannot be %s of %i', async (entry_type, amount_minor) => {
    await expect(buildCommission(database, place, { entry_type, amount_minor })).rejects.toMatchObject({
      code: '23514',
    })
  })

  it('has one amount where both currencies are the same', async () => {
    await expect(
      buildCommission(database, place, { amount_minor: 100, payout_amount_minor: 99 }),
    ).rejects.toMatchObject({
      constraint: 'commissions_same_currency',
    })
  })

  it('cannot belong to the campaign or affiliate of another account', async () => {
    const stranger = await buildAccount(database)
    await expect(buildCommission(database, { ...place, account_id: stranger.id })).rejects.toMatchObject({
      code: '23503',
    })
  })
})
