/**
 * Protects the speed of writes: every index costs each row that it covers an entry, so every index has a reason. A constraint is one. For
 * any other index a statement is named, and PostgreSQL has to choose the index for it.
 */
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
// @ts-expect-error The benchmarks are plain JavaScript.
import { fill } from '../../testing/fill.js'
import type { Db } from '../src/db/database.ts'
import type { Sql } from '../src/db/sql.ts'
import { buildAccount, buildCampaign } from './factories.ts'
import { createDatabase, type TestDatabase } from './harness.ts'
import { filtered } from './indexes/filtered-lists.ts'
import { guarantees, uses } from './indexes/index-needs.ts'
import { readStatements } from './rows/claims.ts'

interface Index {
  name: string
  /** The first column that tells apart the rows of one account. */
  column: string
  isPartial: boolean
  isUnique: boolean
  isConstraint: boolean
}

interface Plan {
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

const SIZE = { affiliates: 2000, commissions: 20_000, clicks: 30_000, varied: true }
const MORE_ROWS = [
  `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
   SELECT 1, 'sale-' || id, customer_ref, id, 4900, 'USD', occurred_at FROM referrals`,
  `INSERT INTO mails (account_id, kind, to_address, subject, text_body, html_body, created_at)
   SELECT 1, 'magic_link', email, 'Hello', '', '', now() - interval '1 minute' * id FROM affiliates`,
  `INSERT INTO notices (account_id, kind) SELECT 1, 'payout_sent' FROM affiliates`,
]

let database: TestDatabase
let client: pg.PoolClient
const indexes = new Map<string, Index>()
/** The index of the partitioned table, by that of a partition. */
const wholes = new Map<string, string>()
/** What looks something up in an index, as `<index>: <file or name>`. */
let found: Set<string>
let statements: Statement[]

beforeAll(async () => {
  database = await createDatabase()
  client = await database.owner.connect()
  await readIndexes()
  statements = await allStatements()
  await client.query('SET enable_seqscan = off')
  // An empty table that was never analyzed counts as ten pages, where the index with the most conditions is the cheapest. With rows,
  // PostgreSQL also weighs an order against a condition, and rare values against common ones.
  const withoutRows = await explainAll(statements)
  const { id } = await buildAccount(database)
  await buildCampaign(database, id)
  await buildCampaign(database, id)
  await fill(client, SIZE)
  for (const rows of MORE_ROWS) await client.query(rows)
  await client.query('ANALYZE sales, mails, notices')
  found = new Set([...withoutRows, ...(await explainAll(statements))])
})
afterAll(async () => {
  client?.release()
  await database?.drop()
})

async function readIndexes(): Promise<void> {
  const { rows } = await client.query(`
    SELECT i.indexrelid::regclass::text AS name, i.indpred IS NOT NULL AS "isPartial", i.indisunique AS "isUnique",
           EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x')) AS "isConstraint",
           CASE pg_get_indexdef(i.indexrelid, 1, true) WHEN 'account_id' THEN pg_get_indexdef(i.indexrelid, 2, true)
                ELSE pg_get_indexdef(i.indexrelid, 1, true) END AS "column",
           (SELECT h.inhparent::regclass::text FROM pg_inherits h WHERE h.inhrelid = i.indexrelid) AS whole
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace`)
  for (const { whole, ...index } of rows)
    if (whole) wholes.set(index.name, whole)
    else indexes.set(index.name, index)
}

interface Statement {
  by: string
  text: string
  /** Known where a function of the service built the statement. */
  values?: unknown[]
}

async function allStatements(): Promise<Statement[]> {
  const written = readStatements().flatMap(({ at, text }) =>
    text === undefined ? [] : [{ by: (at.split(':')[0] as string).replace('server/src/', ''), text }],
  )
  const built: Statement[] = []
  for (const [by, ask] of Object.entries(filtered)) {
    const heard = async ({ text, values }: Sql) => {
      built.push({ by, text, values })
      return []
    }
    const listener = { many: heard, first: heard } as unknown as Db
    await ask(listener)
  }
  return [...written, ...built]
}

/** The indexes that a plan looks something up in. Any index of a table could narrow it down to the account alone. */
function lookedUp(plan: Plan): string[] {
  const named = plan['Index Name']
  const index = named === undefined ? undefined : indexes.get(wholes.get(named) ?? named)
  const isUse =
    index && (index.isPartial || new RegExp(`\\b${index.column}\\b`).test(plan['Index Cond'] ?? ''))
  return [...(isUse ? [index.name] : []), ...(plan.Plans ?? []).flatMap(lookedUp)]
}

async function explain(text: string, values?: unknown[]): Promise<string[]> {
  const options = values ? 'FORMAT JSON' : 'FORMAT JSON, GENERIC_PLAN'
  const { rows } = await client.query(`EXPLAIN (${options}) ${text}`, values)
  return lookedUp(rows[0]['QUERY PLAN'][0].Plan)
}

/** Statements that PostgreSQL doesn't plan, such as DDL and those on temporary tables, use no index of the schema. */
const isNotPlanned = ({ code }: { code?: string }) => code === '42601' || code === '42P01'

async function explainAll(statements: Statement[]): Promise<Set<string>> {
  const looked = new Set<string>()
  for (const { by, text, values } of statements)
    try {
      const plans = [await explain(text), values ? await explain(text, values) : []]
      for (const name of plans.flat()) looked.add(`${name}: ${by}`)
    } catch (error) {
      if (!isNotPlanned(error as { code?: string })) throw error
    }
  return looked
}

it('names a guarantee for every unique index that is not a constraint', () => {
  const unique = [...indexes.values()].filter(index => index.isUnique && !index.isConstraint)
  expect(unique.map(({ name }) => name).toSorted()).toEqual(Object.keys(guarantees).toSorted())
})

it('names a statement for every other index', () => {
  const others = [...indexes.values()].filter(index => !index.isUnique)
  expect(others.map(({ name }) => name).toSorted()).toEqual(Object.keys(uses).toSorted())
})

it('PostgreSQL uses the index for the statement', () => {
  const named = Object.entries(uses).map(([name, by]) => `${name}: ${by}`)
  expect(named.filter(use => !found.has(use))).toEqual([])
})

it('a search of commissions reads only those that it is about', () => {
  const by = 'commissions that a search found'
  const looked = [...found].filter(use => use.endsWith(`: ${by}`)).map(use => use.split(':')[0])
  expect(looked).toEqual(expect.arrayContaining(['commissions_by_affiliate', 'commissions_by_referral']))
})

it('performance by source reads the clicks of open days by their time', () => {
  expect([...found]).toContain('clicks_by_time: performance by device')
})

it('sees that another index makes one superfluous, or that no statement is about it', async () => {
  await client.query('CREATE INDEX superfluous ON commissions (account_id, sale_id)')
  await client.query('CREATE INDEX unused ON sales (account_id, amount_minor)')
  try {
    await readIndexes()
    const looked = [...(await explainAll(statements))]
    expect(looked.filter(use => /^(superfluous|unused):/.test(use))).toEqual([])
  } finally {
    await client.query('DROP INDEX superfluous, unused')
    for (const name of ['superfluous', 'unused']) indexes.delete(name)
  }
})
