/**
 * Protects the reporting currency: every amount counts at the rate of its day, sums are exact and rounded once, and what has no rate is
 * named, never dropped or guessed. The original amounts stay as they are.
 */
import type { Exploration, ExploredSums, Overview } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeDays, rollUpDay } from '../../src/insight/roll-up.ts'
import { convertMinor, parseDecimal } from '../../src/kit/money.ts'
import { parseCsv } from '../../src/kit/parse-csv.ts'
import { rateOn } from '../../src/money/fx/exchange.ts'
import { setRate } from '../../src/money/fx/set-rate.ts'
import { buildAffiliate, buildCommission, buildReferral, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
let admin: Person
/** The second affiliate, who sells in every currency. */
let other: number
const run = (statement: string, values: unknown[]) => scene.database.owner.query(statement, values)
const now = Date.now()
const dayAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()

/** Days ago, currency, amount of the sale; the commission is a tenth of it. SEK has no rate, and JPY none before the last 6 days. */
const sales: [days: number, currency: string, amount: number][] = [
  [9, 'EUR', 1_000],
  [9, 'USD', 3_333],
  [9, 'JPY', 70_000],
  [5, 'USD', 1_001],
  [5, 'JPY', 12_345],
  [5, 'KWD', 98_765],
  [5, 'SEK', 120_000],
  [1, 'USD', 777],
]

async function sell(affiliate_id: number, days: number, currency: string, amount: number) {
  const { database, place } = scene
  const at = dayAgo(days)
  const referral_id = await buildReferral(database, { ...place, affiliate_id }, { occurred_at: at })
  await run(
    `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
     VALUES ($1, $2, $2, $3, $4, $5, $6)`,
    [place.account_id, unique('sale'), referral_id, amount, currency, at],
  )
  await buildCommission(
    database,
    { ...place, affiliate_id },
    {
      referral_id,
      amount_minor: Math.floor(amount / 10),
      currency,
      payout_amount_minor: Math.floor(amount / 10),
      payout_currency: currency,
      created_at: at,
    },
  )
}

beforeAll(async () => {
  const { app, database, account, place } = scene
  admin = await Person.join(app, account.id, 'admin')
  other = (await buildAffiliate(database, account.id, place.campaign_id)).id
  const set = (from: string, to: string, rate: string, days: number) =>
    setRate(database.db, { from, to, rate, day: dayAgo(days).slice(0, 10) })
  await set('EUR', 'USD', '1.0853', 30)
  await set('EUR', 'USD', '1.1', 6)
  await set('EUR', 'JPY', '163.27', 6)
  await set('KWD', 'EUR', '2.987654321', 30)
  await sell(place.affiliate_id, 9, 'EUR', 9_000)
  for (const sale of sales) await sell(other, ...sale)
})

/** The same by the ledger's own rates, sale by sale. */
async function converted(reporting: string, own: typeof sales): Promise<bigint> {
  const DIGITS = 10n ** 40n
  let sum = 0n
  for (const [days, currency, amount] of own) {
    const rate =
      currency === reporting
        ? parseDecimal('1')
        : (await rateOn(scene.database.db, currency, reporting, dayAgo(days).slice(0, 10)))?.decimal
    // Multiplied before it is converted, so that what is rounded is far behind the last digit.
    if (rate) sum += convertMinor(BigInt(amount) * DIGITS, currency, reporting, rate)
  }
  return (sum + DIGITS / 2n) / DIGITS
}

/** What no rate is known for, by currency. */
async function unrated(reporting: string) {
  const found: Record<string, number> = {}
  for (const [days, currency, amount] of sales)
    if (
      currency !== reporting &&
      !(await rateOn(scene.database.db, currency, reporting, dayAgo(days).slice(0, 10)))
    )
      found[currency] = (found[currency] ?? 0) + amount
  expect(Object.keys(found).length).toBeGreaterThan(1)
  return found
}

const report = (reporting_currency: string | null) =>
  admin.call('updateAccount', { body: { reporting_currency } })

async function explored(query: Record<string, unknown> = {}): Promise<Exploration> {
  const { status, body } = await admin.call('explore', { query })
  expect(status).toBe(200)
  return body
}

const ofSeller = ({ rows }: Exploration) => rows.find(({ key }) => key === String(other))?.now as ExploredSums

describe.each(['read from the rows', 'rolled up'])('%s', state => {
  beforeAll(async () => {
    if (state === 'read from the rows') return
    await closeDays(
      scene.database.db,
      scene.account.id,
      { at: new Date().toISOString() },
      { retentionDays: 10_000 },
    )
    while (await rollUpDay(scene.database.db, scene.account.id, 10_000));
  })

  it.each(['EUR', 'USD', 'JPY', 'KWD'])('the explorer in %s', async currency => {
    await report(currency)
    const byAffiliate = await explored({ by: 'affiliate', sort: 'revenue' })
    const sums = ofSeller(byAffiliate)
    expect(byAffiliate.currency).toBe(currency)
    expect(sums.converted?.currency).toBe(currency)
    expect(BigInt(sums.converted?.revenue_minor ?? 0)).toBe(await converted(currency, sales))
    expect(BigInt(sums.converted?.commissions_minor ?? 0)).toBe(
      await converted(
        currency,
        sales.map(([days, each, amount]) => [days, each, Math.floor(amount / 10)]),
      ),
    )
    // The originals are those of the sales, and each currency that lacks a rate is named with its amount.
    expect(sums.money.find(money => money.currency === 'USD')?.revenue_minor).toBe(3_333 + 1_001 + 777)
    const without = Object.fromEntries(
      (sums.converted?.without_rate ?? []).map(money => [money.currency, money.revenue_minor]),
    )
    expect(without).toEqual(await unrated(currency))
    const byDay = await explored()
    expect(byDay.total.now.converted).toEqual(byAffiliate.total.now.converted)
  })

  it('lists are sorted by all currencies, on every page and in the file', async () => {
    await report('EUR')
    const first = scene.place.affiliate_id
    const inEuro = Number(await converted('EUR', sales))
    const order = inEuro > 9_000 ? [other, first] : [first, other]
    const list = await admin.call('listAffiliates', { query: { sort: 'revenue' } })
    expect(list.body.data.slice(0, 2).map(({ id }: { id: number }) => id)).toEqual(order)
    expect(list.body.period.currency).toBe('EUR')
    const row = list.body.data.find(({ id }: { id: number }) => id === other)
    expect(row.performance.converted.revenue_minor).toBe(inEuro)
    const file = await admin.call('exportAffiliates', { query: { sort: 'revenue' } })
    const [head, ...rows] = parseCsv(file.text).map(({ cells }) => cells)
    expect(rows.slice(0, 2).map(([id]) => Number(id))).toEqual(order)
    expect(head?.slice(-3)).toEqual(['total_revenue_EUR', 'total_commissions_EUR', 'currencies_without_rate'])
    const cells = rows.find(([id]) => Number(id) === other)
    expect(cells?.slice(-3, -2)).toEqual([(inEuro / 100).toFixed(2)])
    expect(cells?.at(-1)).toBe('SEK; JPY')
    expect(head).toContain('revenue_SEK')
  })

  it('campaigns too', async () => {
    await report('EUR')
    const { data } = (await admin.call('listCampaigns', { query: { sort: 'commissions' } })).body
    expect(data[0].performance.converted).toMatchObject({ currency: 'EUR' })
  })

  it('the file of the explorer has the original amounts and the converted ones', async () => {
    await report('EUR')
    const file = await admin.call('exportExploration', { query: { by: 'affiliate' } })
    const [head, ...rows] = parseCsv(file.text).map(({ cells }) => cells)
    const own = rows.find(([id]) => Number(id) === other)
    const cell = (name: string) => own?.[head?.indexOf(name) ?? -1]
    expect(cell('revenue_USD')).toBe('51.11')
    expect(cell('total_revenue_EUR')).toBe((Number(await converted('EUR', sales)) / 100).toFixed(2))
    expect(cell('currencies_without_rate')).toBe('SEK; JPY')
  })
})

it('the overview has the same sums, in its charts and its top affiliates too', async () => {
  await report('EUR')
  const overview: Overview = (await admin.call('getOverview', { query: { days: 30 } })).body
  const inEuro = Number(await converted('EUR', [...sales, [9, 'EUR', 9_000]]))
  expect(overview.converted).toMatchObject({ currency: 'EUR', revenue: { now: inEuro, before: 0 } })
  expect(overview.converted?.revenue.without_rate.map(({ currency, now }) => [currency, now])).toEqual([
    ['JPY', 70_000],
    ['SEK', 120_000],
  ])
  expect(overview.revenue.length).toBe(5)
  const charted = overview.series.reduce((sum, step) => sum + step.revenue_minor, 0)
  // Each day is rounded to the cent.
  expect(Math.abs(charted - inEuro)).toBeLessThan(3)
  const explorer = await explored({ by: 'affiliate' })
  expect(overview.top_affiliates.map(({ id, commissions_minor }) => [String(id), commissions_minor])).toEqual(
    explorer.rows.map(({ key, now }) => [key, now.converted?.commissions_minor]),
  )
  // What has no rate is in no amount.
  const withRate = ({ money, converted }: ExploredSums) =>
    money
      .map(({ currency, commissions_minor }) => {
        const lacking = converted?.without_rate.find(each => each.currency === currency)
        return { currency, amount_minor: commissions_minor - (lacking?.commissions_minor ?? 0) }
      })
      .filter(({ amount_minor }) => amount_minor !== 0)
      .toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
  expect(overview.top_affiliates.map(({ original }) => original)).toEqual(
    explorer.rows.map(({ now }) => withRate(now)),
  )
  expect(overview.top_affiliates.flatMap(({ original }) => original).length).toBeGreaterThan(1)
})

it('without one, amounts are listed by currency', async () => {
  await report(null)
  const { total, currency } = await explored()
  expect([total.now.converted, currency]).toEqual([null, 'SEK'])
  expect((await admin.call('getOverview')).body.converted).toBeNull()
  const file = await admin.call('exportExploration', { query: {} })
  expect(file.text.split('\r\n')[0]).not.toContain('total_')
})
