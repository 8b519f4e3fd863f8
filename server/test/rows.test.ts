/** Holds what the source claims about its rows against PostgreSQL and the schema: a wrong claim is a bug that no compiler finds. */
import { loadModule, parse } from 'libpg-query'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from './harness.ts'
import type { Column, Node, Tables } from './rows/ast.ts'
import { type ClaimedColumn, readClaims } from './rows/claims.ts'
import { type DescribedColumn, describeStatement } from './rows/describe.ts'
import { columnsOfStatement } from './rows/nullability.ts'
import { problemsOf } from './rows/problems.ts'

/** Calls whose statement is an argument of theirs, so that it can't be determined from the source. */
const passedOn = [
  // The statements of `tributary doctor`, which its own tests run.
  'server/src/money/ledger/invariants.ts',
  'server/src/runtime/installation/repair-ledger.ts',
  // Transactions that pass on what they are given.
  'server/src/db/group-member.ts',
  'server/src/tools/demo/fill-demo.ts',
]

/** Nullable columns that are never null where they are read, for a reason that the statement does not show. */
const neverNull = [
  // It is what the statement sets.
  'server/src/webhooks/delivery/claim-deliveries.store.ts: leased_until can be null and is not claimed so',
  // A check keeps the secret until the endpoint is deleted, and what is deleted gets no deliveries.
  'server/src/webhooks/delivery/claim-deliveries.store.ts: sealed_secret can be null and is not claimed so',
  // A payout over PayPal leaves out affiliates without an address (no_payout_address).
  'server/src/money/payouts/submission.store.ts: address can be null and is not claimed so',
  // The month of a referral's first sale, of referrals that have one.
  'server/src/insight/cohorts.store.ts: first_month can be null and is not claimed so',
  // Of a full join only pairs are kept.
  'server/src/insight/crossed-sums.store.ts: key can be null and is not claimed so',
  // A day of the account, which is there.
  'server/src/portal/earnings.store.ts: holds.day can be null and is not claimed so',
]

const claims = readClaims()
const fileOf = (at: string) => at.split(':')[0] as string
const covered = claims.flatMap(({ at, text, columns }) =>
  text !== undefined && columns !== undefined && !passedOn.includes(fileOf(at))
    ? [{ at, text, columns }]
    : [],
)

let database: TestDatabase
let client: pg.PoolClient
let tables: Tables
beforeAll(async () => {
  await loadModule()
  database = await createDatabase()
  client = await database.owner.connect()
  tables = await readTables()
})
afterAll(async () => {
  client?.release()
  await database?.drop()
})

async function readTables(): Promise<Tables> {
  const { rows } = await client.query(`
    SELECT c.relname, json_agg(json_build_object('name', a.attname, 'nullable', NOT a.attnotnull) ORDER BY a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace GROUP BY c.relname`)
  return new Map(rows.map(({ relname, columns }) => [relname, columns]))
}

async function look(text: string): Promise<{ given: DescribedColumn[]; analysed: Column[] }> {
  const { stmts } = await parse(text)
  const analysed = columnsOfStatement(stmts?.[0]?.stmt as Node, tables)
  return { given: await describeStatement(client, text), analysed }
}

async function problemsIn(text: string, columns: ReadonlyMap<string, ClaimedColumn>): Promise<string[]> {
  const { given, analysed } = await look(text)
  return problemsOf(columns, given, analysed)
}

const excused = new Set<string>()

it.each(covered.map(({ at, text, columns }) => [at, text, columns] as const))(
  '%s',
  async (at, text, columns) => {
    const problems = await problemsIn(text, columns)
    const wrong = problems.filter(problem => {
      const named = `${fileOf(at)}: ${problem}`
      if (!neverNull.includes(named)) return true
      excused.add(named)
      return false
    })
    expect(wrong).toEqual([])
  },
)

it('excuses no more than it must', () => {
  expect([...excused].toSorted()).toEqual(neverNull.toSorted())
})

it('covers every statement whose rows are read, but those that are passed on', () => {
  const read = claims.filter(({ columns }) => columns !== undefined)
  const missed = read.filter(claim => !covered.some(({ at }) => at === claim.at)).map(({ at }) => fileOf(at))
  expect([...new Set(missed)].toSorted()).toEqual(passedOn.toSorted())
  expect(covered.length).toBeGreaterThan(215)
})

it('knows for nearly every column whether it can be null', async () => {
  const looked: Awaited<ReturnType<typeof look>>[] = []
  for (const { text } of covered) looked.push(await look(text))
  for (const { given, analysed } of looked) expect(analysed).toHaveLength(given.length)
  const all = looked.flatMap(({ analysed }) => analysed)
  const known = all.filter(({ nullable }) => nullable !== undefined)
  expect(all.length).toBeGreaterThan(1200)
  expect(known.length / all.length).toBeGreaterThan(0.95)
})

type Said = Record<string, 'string' | 'number' | 'boolean' | 'string?' | 'number?'>

/** A claim as a test writes it; `?` is nullable. */
const claiming = (said: Said): Map<string, ClaimedColumn> =>
  new Map(
    Object.entries(said).map(([name, type]) => [
      name,
      {
        kinds: new Set([type.replace('?', '') as 'string']),
        isNullable: type.endsWith('?'),
        isOptional: false,
      },
    ]),
  )

describe('the check refuses', () => {
  const nullable = (name: string) => `${name} can be null and is not claimed so`
  const never = (name: string) => `${name} is never null and claimed nullable`
  it.each<[string, Said, string]>([
    ['SELECT id FROM affiliates', { id: 'number', name: 'string?' }, 'name is claimed and not given'],
    ['SELECT id, name FROM affiliates', { id: 'number' }, 'name is given and not claimed'],
    ['SELECT id FROM affiliates', { id: 'string' }, 'id is a number and claimed string'],
    ['SELECT name FROM affiliates', { name: 'string' }, nullable('name')],
    ['SELECT email FROM affiliates', { email: 'string?' }, never('email')],
    [
      'SELECT r.id FROM affiliates a LEFT JOIN referrals r ON r.affiliate_id = a.id',
      { id: 'number' },
      nullable('id'),
    ],
    [
      'SELECT a.id FROM affiliates a RIGHT JOIN referrals r ON r.affiliate_id = a.id',
      { id: 'number' },
      nullable('id'),
    ],
    ['WITH x AS (SELECT name FROM affiliates) SELECT x.name FROM x', { name: 'string' }, nullable('name')],
    ['SELECT x.name FROM (SELECT name FROM affiliates) x', { name: 'string' }, nullable('name')],
    ['SELECT * FROM (SELECT name FROM affiliates) x', { name: 'string' }, nullable('name')],
    ['SELECT sum(amount_minor) AS sum FROM sales', { sum: 'number' }, nullable('sum')],
    ['SELECT (SELECT id FROM sales LIMIT 1) AS id', { id: 'number' }, nullable('id')],
    ["SELECT CASE WHEN is_test THEN 'a' END AS x FROM referrals", { x: 'string' }, nullable('x')],
    ['SELECT lower(name) AS x FROM affiliates', { x: 'string' }, nullable('x')],
    [
      'SELECT email FROM affiliates UNION SELECT name FROM affiliates',
      { email: 'string' },
      nullable('email'),
    ],
    ['UPDATE affiliates SET name = $1 RETURNING name', { name: 'string' }, nullable('name')],
    ['SELECT count(*) AS n FROM sales', { n: 'number?' }, never('n')],
  ])('%s', async (text, said, problem) => {
    expect(await problemsIn(text, claiming(said))).toEqual([problem])
  })
})

describe('the check lets pass', () => {
  it.each<[string, Said]>([
    ['SELECT name FROM affiliates WHERE name IS NOT NULL', { name: 'string' }],
    ['SELECT name FROM affiliates WHERE name = $1 AND true', { name: 'string' }],
    ["SELECT coalesce(name, '') AS name FROM affiliates", { name: 'string' }],
    [
      'SELECT r.id FROM affiliates a LEFT JOIN referrals r ON r.affiliate_id = a.id WHERE r.id > $1',
      { id: 'number' },
    ],
    ['SELECT coalesce(sum(amount_minor), 0) AS sum FROM sales', { sum: 'number' }],
    [
      'SELECT campaign_id, sum(amount_minor) AS sum FROM commissions GROUP BY 1',
      { campaign_id: 'number', sum: 'number' },
    ],
    ['SELECT (SELECT coalesce(max(id), 0) FROM sales) AS id', { id: 'number' }],
    ["SELECT id, pg_notify('x', '') FROM sales", { id: 'number' }],
    ['DELETE FROM sales RETURNING id', { id: 'number' }],
    ["SELECT CASE WHEN name IS NOT NULL THEN name ELSE '' END AS name FROM affiliates", { name: 'string' }],
  ])('%s', async (text, said) => {
    expect(await problemsIn(text, claiming(said))).toEqual([])
  })
})

it('looks into the JSON that a statement builds', async () => {
  const claimed = (fields: Said) =>
    new Map([
      [
        'x',
        {
          kinds: new Set(['object' as const]),
          isNullable: false,
          isOptional: false,
          fields: claiming(fields),
        },
      ],
    ])
  const text = `
    SELECT coalesce((SELECT json_agg(json_build_object('id', a.id, 'name', a.name)) FROM affiliates a), '[]') AS x`
  expect(await problemsIn(text, claimed({ id: 'number', name: 'string?' }))).toEqual([])
  expect(await problemsIn(text, claimed({ id: 'number?', name: 'string', email: 'string' }))).toEqual([
    'x.email is claimed and not given',
    'x.id is never null and claimed nullable',
    'x.name can be null and is not claimed so',
  ])
  expect(await problemsIn(text, claimed({ id: 'number' }))).toEqual(['x.name is given and not claimed'])
})
