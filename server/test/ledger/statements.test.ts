/** A balance or statement as of an earlier time is what it was then, whatever happened since. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSnapshot } from '../../src/db/snapshot.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { type StatementLine, streamStatement } from '../../src/money/ledger/statement.ts'
import { csvStatement } from '../../src/money/statements/csv-statement.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'
import type { ModelAffiliate } from './model.ts'
import { setRates, startWalk } from './start-walk.ts'
import type { Walk } from './walk.ts'

const SEED = Number(process.env.TEST_SEED ?? 7)
const STEPS = Number(process.env.TEST_STEPS ?? 80)
const RUNS = Number(process.env.TEST_RUNS ?? 60)
/** Written independently, not with the program's arithmetic. */
const DECIMALS: Record<string, number> = { JPY: 0, USD: 2, KWD: 3 }

interface Row {
  id: number
  affiliateId: number
  currency: string
  amount: number
  createdAt: number
  voidedAt: number
  isCredit: boolean
}
/** What was owed at a time, as it was seen at that time. */
interface Moment {
  at: number
  owed: Map<ModelAffiliate, object[]>
}

let database: TestDatabase
let walk: Walk
let rows: Row[]
const moments: Moment[] = []

const databaseClock = async () =>
  Math.floor(
    Number(
      (await database.owner.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms')).rows[0].ms,
    ),
  )

/** A millisecond that everything until now is before, and everything from now on is after. */
async function momentBetween(): Promise<number> {
  const at = (await databaseClock()) + 1
  // Times of rows are rounded, so the next one is begun only when it cannot be rounded down into this moment.
  while ((await databaseClock()) <= at);
  return at
}

beforeAll(async () => {
  database = await createDatabase()
  await setRates(database)
  walk = await startWalk(database, SEED, ['USD', 'JPY', 'KWD'])
  const { affiliates, accountId, model } = walk.ground
  for (let step = 0; step < STEPS; step++) {
    await walk.step()
    await walk.compareEntries()
    const owed = new Map(affiliates.map(affiliate => [affiliate, model.balances(affiliate)]))
    moments.push({ at: await momentBetween(), owed })
  }
  const found = await database.owner.query(
    `SELECT c.id::integer, c.affiliate_id::integer, c.payout_currency, c.payout_amount_minor::integer, c.created_at, c.voided_at,
            'credit' IN (c.entry_type, e.entry_type) AS is_credit
       FROM commissions c LEFT JOIN commissions e ON e.account_id = c.account_id AND e.id = c.clawback_of
       LEFT JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
      WHERE c.account_id = $1 AND c.beneficiary <> 'referee' AND r.is_test IS NOT TRUE ORDER BY c.id`,
    [accountId],
  )
  rows = found.rows.map(row => ({
    id: row.id,
    affiliateId: row.affiliate_id,
    currency: row.payout_currency,
    amount: row.payout_amount_minor,
    createdAt: row.created_at.getTime(),
    voidedAt: row.voided_at?.getTime() ?? Number.POSITIVE_INFINITY,
    isCredit: row.is_credit === true,
  }))
})
afterAll(() => database.drop())

const iso = (ms: number) => new Date(ms).toISOString()

const statement = (affiliateId: number, asOf?: string): Promise<StatementLine[]> =>
  readSnapshot(database.db, async tx => {
    const lines: StatementLine[] = []
    for await (const page of streamStatement(tx, walk.ground.accountId, affiliateId, 'UTC', asOf))
      lines.push(...page)
    return lines
  })

/** The cells of a statement in which no text needs quotes. */
async function csvCells(affiliateId: number, asOf?: string): Promise<string[][]> {
  let text = ''
  await csvStatement(database.db, walk.ground.accountId, affiliateId, asOf, part => {
    text += part
  })
  expect(text).not.toContain('"')
  return text
    .split('\r\n')
    .slice(1, -1)
    .map(line => line.split(','))
}

interface Replayed {
  id: number
  currency: string
  balance: number
  isCredit: boolean
}

/** Each entry until then with the balance after it, added up one by one; credit stands apart. */
function replay(affiliateId: number, at: number): Replayed[] {
  const balances: Record<string, number> = {}
  return rows
    .filter(row => row.affiliateId === affiliateId && row.createdAt <= at)
    .map(({ id, currency, amount, voidedAt, isCredit }) => {
      const balance = (balances[currency] ?? 0) + (voidedAt <= at || isCredit ? 0 : amount)
      balances[currency] = balance
      return { id, currency, balance, isCredit }
    })
}

/** The last balance of each currency. */
const lastOf = (lines: { currency: string; balance: number }[]): Record<string, number> =>
  Object.fromEntries(lines.map(({ currency, balance }) => [currency, balance]))

const decimal = (minor: number, currency: string) =>
  (minor / 10 ** (DECIMALS[currency] as number)).toFixed(DECIMALS[currency])

it('a balance as of then is what it was then, split by the status of then', async () => {
  const { accountId, affiliates } = walk.ground
  for (const { at, owed } of moments)
    for (const affiliate of affiliates)
      expect(await balancesOf(database.db, accountId, affiliate.id, iso(at))).toEqual(owed.get(affiliate))
})

it('the walk voided entries after they had been on a statement', () => {
  const toldAndVoided = rows.filter(({ createdAt, voidedAt }) =>
    moments.some(({ at }) => createdAt <= at && at < voidedAt && voidedAt < Number.POSITIVE_INFINITY),
  )
  expect(toldAndVoided.length).toBeGreaterThan(2)
  expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(Object.keys(DECIMALS)))
})

it(`balance, statement and CSV agree with a replay at ${RUNS} times, seed ${SEED}`, async () => {
  // At the very millisecond of an entry or a void, and just beside it: that is where mistakes live.
  const near = (times: { affiliateId: number; at: number }[]) =>
    fc
      .tuple(fc.constantFrom(...times), fc.integer({ min: -1, max: 1 }))
      .map(([{ affiliateId, at }, beside]) => ({ id: affiliateId, at: at + beside }))
  const written = rows.map(({ affiliateId, createdAt: at }) => ({ affiliateId, at }))
  const voided = rows.map(({ affiliateId, voidedAt: at }) => ({ affiliateId, at }))
  const spot = fc.oneof(near(written), near(voided.filter(({ at }) => Number.isFinite(at))))
  await fc.assert(
    fc.asyncProperty(spot, async ({ id, at }) => {
      const expected = replay(id, at)
      const lines = (await statement(id, iso(at))).map(line => ({
        id: line.id,
        currency: line.payout_currency,
        balance: line.balance_minor,
        isCredit: line.is_credit,
      }))
      expect(lines).toEqual(expected)
      const balances = await balancesOf(database.db, walk.ground.accountId, id, iso(at))
      const actual = Object.fromEntries(balances.map(one => [one.currency, one.balance_minor]))
      // A currency in which everything is void is owed nothing, and is not listed.
      const owed = Object.entries(lastOf(expected)).filter(
        ([currency, balance]) => currency in actual || balance !== 0,
      )
      expect(actual).toEqual(Object.fromEntries(owed))
      expect(
        (await csvCells(id, iso(at))).map(cells => [Number(cells[1]), cells.at(-3), cells.at(-2)]),
      ).toEqual(
        expected.map(line => [
          line.id,
          line.currency,
          line.isCredit ? '' : decimal(line.balance, line.currency),
        ]),
      )
    }),
    { seed: SEED, numRuns: RUNS },
  )
})

it('without a time it is as of now', async () => {
  for (const { id } of walk.ground.affiliates) {
    expect(await statement(id)).toEqual(await statement(id, iso(Date.now() + 1000)))
    const lines = (await statement(id)).map(line => ({
      currency: line.payout_currency,
      balance: line.balance_minor,
    }))
    const balances = await balancesOf(database.db, walk.ground.accountId, id)
    expect(balances.map(one => one.balance_minor)).toEqual(
      balances.map(({ currency }) => lastOf(lines)[currency]),
    )
  }
})
