/** Protects lists from a rare source: a request looks at a bounded number of rows, and the next one goes on until all are found. */
import { beforeAll, expect, it } from 'vitest'
import { lookForCommissions } from '../../src/dashboard/commissions/commission-search.store.ts'
import { MOST_LOOKED_AT } from '../../src/dashboard/look-through.store.ts'
import { lookForReferrals } from '../../src/dashboard/referrals/referral-list.store.ts'
import type { Db } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { useOwnScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
const ROWS = 2 * MOST_LOOKED_AT + 100
const rare = { source: 'referrer', source_value: 'rare.example' } as const
let viewer: Person

beforeAll(async () => {
  const { database, account, place } = scene
  viewer = await Person.join(scene.app, account.id, 'viewer')
  const values = [account.id, place.campaign_id, place.affiliate_id]
  await database.owner.query(
    `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
     SELECT $1, $2, $3, 'customer-' || n, 'approved', now() FROM generate_series(1, $4::integer) n`,
    [...values, ROWS],
  )
  await database.owner.query(
    `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
                              payout_amount_minor, payout_currency, status)
     SELECT $1, $2, $3, r.id, 'earned', 'affiliate', 100, 'USD', 100, 'USD', 'approved' FROM referrals r WHERE r.account_id = $1`,
    values,
  )
  // The first one and the last one.
  await database.owner.query(
    `INSERT INTO referral_sources (account_id, referral_id, campaign_id, affiliate_id, referrer)
     SELECT $1, r.id, $2, $3, CASE WHEN r.customer_ref IN ('customer-1', $4) THEN 'rare.example' ELSE 'common.example' END
       FROM referrals r WHERE r.account_id = $1`,
    [...values, `customer-${ROWS}`],
  )
  await database.owner.query('ANALYZE')
})

/** The statement that looks for a page. */
async function statementOf(list: (db: Db) => Promise<unknown>): Promise<Sql> {
  const asked: Sql[] = []
  await list({ first: async (statement: Sql) => void asked.push(statement) } as unknown as Db)
  return asked[0] as Sql
}

/** How many rows of a table a statement reads. */
async function rowsRead(table: string, { text, values }: Sql): Promise<number> {
  const client = await scene.database.owner.connect()
  const total = async () => {
    const { rows } = await client.query(
      `SELECT (coalesce(idx_tup_fetch, 0) + seq_tup_read)::integer AS n FROM pg_stat_xact_user_tables WHERE relname = $1`,
      [table],
    )
    return rows[0].n
  }
  try {
    // As in the service, where the statements are prepared and soon get a generic plan.
    await client.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan')
    const before = await total()
    await client.query({ name: table, text, values })
    const read = (await total()) - before
    await client.query('COMMIT')
    return read
  } finally {
    client.release()
  }
}

const lists = {
  listReferrals: { table: 'referrals', lookFor: lookForReferrals },
  listCommissions: { table: 'commissions', lookFor: lookForCommissions },
}

it.each(['listReferrals', 'listCommissions'] as const)('%s', async route => {
  const { table, lookFor } = lists[route]
  const source = { dimension: rare.source, value: rare.source_value }
  const looking = await statementOf(db => lookFor(db, scene.account.id, {}, source))
  expect(await rowsRead(table, looking)).toBeLessThanOrEqual(MOST_LOOKED_AT)
  for (const order of ['newest', 'oldest'] as const) {
    const sizes: number[] = []
    let after: number | undefined
    do {
      const { body } = await viewer.call(route, { query: { ...rare, order, ...(after && { after }) } })
      sizes.push(body.data.length)
      after = body.next ?? undefined
    } while (after !== undefined)
    expect(sizes).toEqual([1, 0, 1])
    // A page that is full ends with its last row.
    const common = { ...rare, source_value: 'common.example', order, limit: 2 }
    const { body } = await viewer.call(route, { query: common })
    expect([body.data.length, body.next]).toEqual([2, body.data[1].id])
  }
})
