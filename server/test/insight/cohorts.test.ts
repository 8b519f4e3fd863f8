/**
 * Protects the cohorts: whatever happens, and however late, they are those of an independent count of the sales, before a day is rolled up, while
 * it waits to be computed again, and after.
 */
import { expect, it } from 'vitest'
import { localDay } from '../../../testing/time-zone.ts'
import { sumCohorts } from '../../src/insight/cohorts.store.ts'
import { rebuild, rollUpDay } from '../../src/insight/roll-up.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { DAY_MS } from '../../src/kit/timestamp.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { Business, randomFrom } from './business.ts'
import { rollUpAll as rollUpEveryDay } from './roll-up-all.ts'

const scene = useOwnScene()
const RETENTION_DAYS = 400
const seed = Number(process.env.CHAOS_SEED ?? 42)
type Cohorts = Record<string, number>
interface Filter {
  campaignId?: number
  affiliateId?: number
}

async function allRows() {
  const rows = async (table: string) =>
    (await scene.database.owner.query(`SELECT * FROM ${table} WHERE account_id = $1`, [scene.account.id]))
      .rows
  return { referrals: await rows('referrals'), sales: await rows('sales'), refunds: await rows('refunds') }
}

/** By `first month, month, currency, figure`; one loop over the rows. */
function counted(
  { referrals, sales, refunds }: Awaited<ReturnType<typeof allRows>>,
  zone: string,
  { campaignId, affiliateId }: Filter = {},
): Cohorts {
  const monthOf = (at: Date) => localDay(at.getTime(), zone).slice(0, 7)
  const cohorts: Cohorts = {}
  const add = (first: string, month: string, currency: string, figure: string, amount: number) => {
    const key = `${first} ${month} ${currency} ${figure}`
    cohorts[key] = (cohorts[key] ?? 0) + amount
  }
  for (const referral of referrals) {
    if (referral.is_test || referral.status === 'rejected') continue
    if (campaignId !== undefined && Number(referral.campaign_id) !== campaignId) continue
    if (affiliateId !== undefined && Number(referral.affiliate_id) !== affiliateId) continue
    const own = sales
      .filter(
        sale =>
          sale.referral_id === referral.id && sale.replaced_by === null && Number(sale.amount_minor) > 0,
      )
      .toSorted((a, b) => a.occurred_at - b.occurred_at || Number(a.id) - Number(b.id))
    if (own.length === 0) continue
    const first = monthOf(own[0].occurred_at)
    const bought = new Set<string>()
    for (const sale of own) {
      const month = monthOf(sale.occurred_at)
      if (!bought.has(month)) add(first, month, sale.currency, 'buyers', 1)
      bought.add(month)
      add(first, month, sale.currency, 'revenue', Number(sale.amount_minor))
      for (const refund of refunds)
        if (refund.sale_id === sale.id && refund.reversed_at === null)
          add(first, monthOf(refund.occurred_at), sale.currency, 'refunded', Number(refund.amount_minor))
    }
  }
  return cohorts
}

const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

async function read(filter: Filter = {}): Promise<Cohorts> {
  const cohorts: Cohorts = {}
  // From the first of a month before anything was sold, and no earlier: each day is computed.
  const range = { from: `${dayIn(-220).slice(0, 7)}-01`, to: dayIn(2) }
  const scope = { accountId: scene.account.id, ...range, reportingCurrency: null, ...filter }
  for (const row of await sumCohorts(scene.database.db, scope))
    for (const [figure, amount] of [
      ['buyers', row.buyers],
      ['revenue', row.revenue_minor],
      ['refunded', row.refunded_minor],
    ] as const)
      if (amount !== 0) cohorts[`${row.first_month} ${row.month} ${row.currency} ${figure}`] = amount
  return cohorts
}

async function expectRight(zone: string): Promise<void> {
  const rows = await allRows()
  const all = counted(rows, zone)
  expect(Object.keys(all).length).toBeGreaterThan(5)
  expect(await read()).toEqual(all)
  const distinct = (filters: Filter[]) =>
    [...new Set(filters.map(filter => JSON.stringify(filter)))].map(filter => JSON.parse(filter) as Filter)
  const pairs = rows.referrals.map(row => ({
    campaignId: Number(row.campaign_id),
    affiliateId: Number(row.affiliate_id),
  }))
  const filters = pairs.flatMap(({ campaignId, affiliateId }): Filter[] => [
    { campaignId },
    { affiliateId },
    { campaignId, affiliateId },
  ])
  for (const filter of distinct(filters)) expect(await read(filter)).toEqual(counted(rows, zone, filter))
}

const rollUpAll = () => rollUpEveryDay(scene, RETENTION_DAYS)
const run = (statement: string, values: unknown[]) => scene.database.owner.query(statement, values)

/** Sales of months ago for customers that are known, often before their first one. */
async function sellLate(random: () => number, times: number): Promise<void> {
  const { rows } = await run('SELECT id, customer_ref FROM referrals WHERE account_id = $1 ORDER BY id', [
    scene.account.id,
  ])
  for (let each = 0; each < times; each++) {
    const { id, customer_ref } = rows[Math.floor(random() * rows.length)]
    const at = new Date(Date.now() - random() * 150 * DAY_MS).toISOString()
    await run(
      `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
       VALUES ($1, $2, $3, $4, $5, 'USD', $6)`,
      [
        scene.account.id,
        unique('late'),
        customer_ref,
        id,
        each % 3 === 0 ? 0 : 1000 + Math.floor(random() * 1000),
        at,
      ],
    )
  }
}

/** Some sale is replaced by another, and some referral is moved to another affiliate. */
async function correct(random: () => number): Promise<void> {
  const { rows: sales } = await run(
    'SELECT id FROM sales WHERE account_id = $1 AND replaced_by IS NULL ORDER BY id',
    [scene.account.id],
  )
  const pick = () => sales[Math.floor(random() * sales.length)].id
  await run('UPDATE sales SET replaced_by = $3 WHERE account_id = $1 AND id = $2 AND id <> $3', [
    scene.account.id,
    pick(),
    pick(),
  ])
  await run(
    `UPDATE referrals r SET affiliate_id = (SELECT max(o.affiliate_id) FROM referrals o WHERE o.account_id = $1 AND o.campaign_id = r.campaign_id)
      WHERE r.account_id = $1 AND r.id = (SELECT min(o.id) FROM referrals o WHERE o.account_id = $1)`,
    [scene.account.id],
  )
}

it(`are those of the sales, seed ${seed}`, { timeout: 180_000 }, async () => {
  const { db, owner } = scene.database
  const random = randomFrom(seed)
  const business = new Business(scene, random)
  await business.open()
  await business.run(25)
  await sellLate(random, 25)
  await expectRight('UTC')

  await rollUpAll()
  await expectRight('UTC')
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])

  for (let round = 0; round < 3; round++) {
    await business.run(8)
    await sellLate(random, 8)
    await correct(random)
    await expectRight('UTC')
    // Half computed: some days are from the roll-up, the others from the rows.
    await rollUpDay(db, scene.account.id, RETENTION_DAYS)
    await rollUpDay(db, scene.account.id, RETENTION_DAYS)
    await expectRight('UTC')
    await rollUpAll()
    await expectRight('UTC')
    expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
  }

  for (const zone of ['Asia/Kathmandu', 'America/New_York']) {
    await updateAccount(db, scene.account.id, { time_zone: zone })
    await expectRight(zone)
    await rollUpAll()
    await expectRight(zone)
    expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
  }

  // What the doctor finds, a rebuild repairs.
  for (const damage of [
    'DELETE FROM insight_cohort_days WHERE day IN (SELECT min(day) FROM insight_cohort_days)',
    'UPDATE insight_cohorts SET buyers = buyers + 1',
  ]) {
    await owner.query(damage)
    expect(await findWrongDays(db, RETENTION_DAYS)).not.toEqual([])
    await rebuild(db, scene.account.id, RETENTION_DAYS)
    expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
    await expectRight('America/New_York')
  }
})

it('of a version before are computed once, and read from the sales until then', async () => {
  const { db, owner } = scene.database
  await owner.query('UPDATE insight_accounts SET has_cohorts = false')
  await owner.query('DELETE FROM insight_cohort_days')
  await owner.query('DELETE FROM insight_cohorts')
  await expectRight('America/New_York')
  await rollUpAll()
  await expectRight('America/New_York')
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
})
