/**
 * Protects the speed of lists: with very many commissions no filter, and no two of them, reads a whole table or sorts all of it.
 * A fifth of a million is enough. With any one index of these tables dropped, every list that is planned badly over a million
 * commissions is planned badly over these too; only below a tenth does reading everything become the better plan.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error The benchmarks are plain JavaScript.
import { fill } from '../../../testing/fill.js'
import { listReferralSummaries } from '../../src/dashboard/referrals/referral-list.store.ts'
import type { Db } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { listReferrals } from '../../src/earning/referrals/referral.store.ts'
import { listCommissions } from '../../src/money/commissions/commission.store.ts'
import { listCommissionSummaries } from '../../src/money/commissions/commission-list.store.ts'
import { listAffiliates } from '../../src/programme/affiliates/affiliate.store.ts'
import { listForDashboard } from '../../src/programme/affiliates/affiliate-list.store.ts'
import { buildAccount, buildCampaign } from '../factories.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'

const COMMISSIONS = 200_000
/** A sort of a few rows costs nothing; one of a share of the table does. */
const MOST_SORTED_ROWS = COMMISSIONS / 50
const LARGE_TABLES = ['affiliates', 'enrolments', 'referrals', 'commissions']

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Plan Rows': number
  'Total Cost': number
  Plans?: Plan[]
}

let database: TestDatabase
let asked: Sql[] = []

/** Takes down what a store asks instead of asking it. */
const listener = {
  many: async (statement: Sql) => {
    asked.push(statement)
    return []
  },
} as unknown as Db

const flaws = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && LARGE_TABLES.includes(plan['Relation Name'] ?? '')
    ? [`reads all of ${plan['Relation Name']}`]
    : []),
  ...(/^(Incremental )?Sort$/.test(plan['Node Type']) &&
  (plan.Plans?.[0]?.['Plan Rows'] ?? 0) > MOST_SORTED_ROWS
    ? [`sorts ${plan.Plans?.[0]?.['Plan Rows']} rows`]
    : []),
  ...(plan.Plans ?? []).flatMap(flaws),
]

/** What PostgreSQL adds to the cost of a plan for planning it anew each time: 1000 operators for each table. */
const COST_OF_PLANNING = 2.5 * 10

/** As it is planned for the values given and, where PostgreSQL would keep it because it looks no dearer, for any values. */
async function flawsOf({ text, values }: Sql): Promise<string[]> {
  const explain = async (options: string, given?: unknown[]): Promise<Plan> => {
    const { rows } = await database.owner.query(`EXPLAIN (FORMAT JSON${options}) ${text}`, given)
    return rows[0]['QUERY PLAN'][0].Plan
  }
  const [planned, kept] = [await explain('', values), await explain(', GENERIC_PLAN')]
  const isKept = kept['Total Cost'] < planned['Total Cost'] + COST_OF_PLANNING
  return [...flaws(planned), ...(isKept ? flaws(kept).map(flaw => `kept: ${flaw}`) : [])]
}

beforeAll(async () => {
  database = await createDatabase()
  const { id } = await buildAccount(database)
  await buildCampaign(database, id)
  await buildCampaign(database, id)
  const client = await database.owner.connect()
  await fill(client, { affiliates: COMMISSIONS / 10, commissions: COMMISSIONS, varied: true })
  client.release()
}, 300_000)
afterAll(() => database.drop())

type List = (db: Db, accountId: number, query: never) => Promise<unknown>
const time = { created_after: '2026-01-01T00:00:00Z', created_before: '2100-01-01T00:00:00Z' }
const lists: [name: string, list: List, filters: Record<string, unknown>][] = [
  [
    'affiliates',
    listAffiliates,
    { campaign_id: 1, status: 'pending', email: 'a1@example.com', tag: 'group1', kind: 'customer', ...time },
  ],
  [
    'affiliates of the dashboard',
    listForDashboard,
    { campaign_id: 1, status: 'pending', tag: 'group1', kind: 'customer' },
  ],
  [
    'referrals',
    listReferrals,
    {
      campaign_id: 2,
      affiliate_id: 7,
      status: 'approved',
      customer_ref: 'customer-7',
      is_test: true,
      ...time,
    },
  ],
  [
    'referrals of the dashboard',
    listReferralSummaries,
    { campaign_id: 2, affiliate_id: 7, status: 'approved' },
  ],
  ...[listCommissions, listCommissionSummaries].map(
    (list, index): [string, List, Record<string, unknown>] => [
      index === 0 ? 'commissions' : 'commissions of the dashboard',
      list,
      {
        ...{ campaign_id: 2, affiliate_id: 7, referral_id: 7, status: 'pending', entry_type: 'earned' },
        ...{ beneficiary: 'affiliate', ...time },
      },
    ],
  ),
]

describe.each(lists)('%s', (_name, list, filters) => {
  const names = Object.keys(filters)
  const pairs = names.flatMap((first, index) => names.slice(index + 1).map(second => [first, second]))
  it.each([[[]], ...names.map(name => [[name]]), ...pairs.map(pair => [pair])])('by %j', async chosen => {
    const query = Object.fromEntries(chosen.map(name => [name, filters[name]]))
    for (const page of [query, { ...query, starting_after: COMMISSIONS / 2, after: COMMISSIONS / 2 }]) {
      asked = []
      await list(listener, 1, { limit: 100, ...page } as never)
      expect(asked).toHaveLength(1)
      expect(await flawsOf(asked[0] as Sql)).toEqual([])
    }
  })
})
