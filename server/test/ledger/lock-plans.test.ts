/**
 * Locking a few entries stays cheap while a new installation imports its history: its statements were planned for an almost empty table, and
 * are planned anew only when PostgreSQL has collected statistics.
 */
import { hash } from 'node:crypto'
import type pg from 'pg'
import { expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { entriesOfRefund, lockEntriesOfReferral, lockEntriesOfSale } from '../../src/money/ledger/entries.ts'
import { lockEntriesOf } from '../../src/money/ledger/move-status.ts'
import { payPinned } from '../../src/money/ledger/pins.ts'
import { useOwnScene } from '../harness.ts'
import { rowsRead } from '../rows-read.ts'
import { earnOne, refund, winCustomer } from './scene.ts'

const scene = useOwnScene()
const OTHERS = 3000

/** The statements that this sends, as far as it needs no result. */
async function statementsOf(work: (tx: Tx) => Promise<unknown>): Promise<Sql[]> {
  const sent: Sql[] = []
  const many = async (statement: Sql) => {
    sent.push(statement)
    return []
  }
  await work({ many, first: async (statement: Sql) => (await many(statement))[0] } as unknown as Tx)
  return sent
}

/** How many commissions these statements read, prepared on this connection at their first time. */
const reads = (client: pg.PoolClient, statements: Sql[]): Promise<number> =>
  rowsRead(
    client,
    'commissions',
    async () => {
      for (const { text, values } of statements) await client.query({ name: hash('md5', text), text, values })
    },
    'ROLLBACK',
  )

/** Many entries of the same affiliate. */
const addOthers = (id: number) =>
  scene.database.owner.query(
    `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
                              payout_amount_minor, payout_currency, status, description)
     SELECT account_id, campaign_id, affiliate_id, NULL, 'adjustment', beneficiary, 1, currency, 1, payout_currency, 'approved', 'x'
       FROM commissions, generate_series(1, $2) WHERE id = $1`,
    [id, OTHERS],
  )

it('reads no entry again for each of them, planned when there was one', async () => {
  const won = await winCustomer(scene)
  const { entry } = await earnOne(scene, won, 10_000)
  const { owner } = scene.database
  const { rows: sales } = await owner.query('SELECT sale_id FROM commissions WHERE id = $1', [entry.id])
  const { id } = scene.account
  const locks = {
    referral: await statementsOf(tx => lockEntriesOfReferral(tx, id, won.referralId)),
    sale: await statementsOf(tx => lockEntriesOfSale(tx, id, Number(sales[0].sale_id))),
    entries: await statementsOf(tx => lockEntriesOf(tx, id, [entry.id])),
    paid: (await statementsOf(tx => payPinned(tx, id, [1]))).slice(0, 1),
  }
  const client = await owner.connect()
  try {
    for (const statements of Object.values(locks)) await reads(client, statements)
    await addOthers(entry.id)
    const found: Record<string, number> = {}
    for (const [name, statements] of Object.entries(locks)) found[name] = await reads(client, statements)
    // Each entry a few times at most: a plan for one entry may use any index, but it must not start again for each entry.
    for (const read of Object.values(found)) expect(read).toBeLessThanOrEqual(3 * OTHERS)
  } finally {
    client.release()
  }
})

it('finds the entries of a refund that is repeated by its sale', async () => {
  const won = await winCustomer(scene)
  const { entry, external_id } = await earnOne(scene, won, 10_000)
  const { owner } = scene.database
  const request = { external_id: 'repeated', sale_external_id: external_id, amount_minor: 2500 }
  const first = await refund(scene.api, request)
  await addOthers(entry.id)
  await owner.query('ANALYZE commissions')
  const { rows } = await owner.query(
    'SELECT id::integer, sale_id::integer FROM refunds WHERE external_id = $1',
    ['repeated'],
  )
  const statements = await statementsOf(tx => entriesOfRefund(tx, scene.account.id, rows[0]))
  const client = await owner.connect()
  try {
    expect(await reads(client, statements)).toBeLessThanOrEqual(10)
  } finally {
    client.release()
  }
  const again = await refund(scene.api, request)
  expect(again).toMatchObject({ status: 200, body: first.body })
  expect(first.body.commissions).toHaveLength(1)
})
