/** What the explorer shows of cohorts: customers by the month of their first sale, what they have bought since, and the same as a file. */
import type { Cohorts } from '@tributary/contract/dashboard'
import { beforeAll, expect, it } from 'vitest'
import { setRate } from '../../src/money/fx/set-rate.ts'
import { buildAffiliate, buildReferral, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
let admin: Person
let other: number
const now = new Date()
/** The middle of the month, so many months ago. */
const monthsAgo = (months: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15, 12)).toISOString()
const monthOf = (months: number) => monthsAgo(months).slice(0, 7)

async function customer(affiliate_id: number, sales: [months: number, amount: number, currency?: string][]) {
  const { database, place } = scene
  const occurred_at = monthsAgo(sales[0]?.[0] ?? 0)
  const referral_id = await buildReferral(database, { ...place, affiliate_id }, { occurred_at })
  const ids: number[] = []
  for (const [months, amount, currency = 'USD'] of sales) {
    const { rows } = await database.owner.query(
      `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
       VALUES ($1, $2, $2, $3, $4, $5, $6) RETURNING id`,
      [place.account_id, unique('sale'), referral_id, amount, currency, monthsAgo(months)],
    )
    ids.push(Number(rows[0].id))
  }
  return ids
}

beforeAll(async () => {
  const { app, database, account, place } = scene
  admin = await Person.join(app, account.id, 'admin')
  other = (await buildAffiliate(database, account.id, place.campaign_id)).id
  const [first] = await customer(place.affiliate_id, [
    [3, 10_000],
    [1, 5_000],
  ])
  await customer(place.affiliate_id, [[3, 2_000]])
  await customer(other, [
    [2, 7_000],
    [2, 1_000],
  ])
  await customer(other, [[2, 3_000, 'JPY']])
  await database.owner.query(
    `INSERT INTO refunds (account_id, external_id, sale_id, amount_minor, occurred_at) VALUES ($1, $2, $3, 4000, $4)`,
    [account.id, unique('refund'), first, monthsAgo(2)],
  )
})

async function ask(query: Record<string, unknown> = {}): Promise<Cohorts> {
  const { status, body } = await admin.call('getCohorts', { query })
  expect(status).toBe(200)
  return body
}

const originals = ({ data }: Cohorts) =>
  data.map(({ months }) =>
    months.map(({ original }) => original.map(sum => `${sum.currency} ${sum.amount_minor}`)).slice(0, -1),
  )

const shown = ({ data }: Cohorts) =>
  data.map(({ month, customers, months }) => [
    month.slice(0, 7),
    customers,
    months.map(({ buyers, cumulated_minor }) => `${buyers} ${cumulated_minor}`).slice(0, -1),
  ])

it('without a reporting currency, amounts are in the one with the most revenue', async () => {
  const cohorts = await ask()
  expect([cohorts.currency, cohorts.is_converted, cohorts.left_out]).toEqual(['USD', false, ['JPY']])
  expect(shown(cohorts)).toEqual([
    [monthOf(2), 2, ['2 8000', '0 8000']],
    [monthOf(3), 2, ['2 12000', '0 8000', '1 13000']],
  ])
  expect(originals(cohorts).flat(2)).toEqual([])
})

it('of an affiliate, of a campaign, and of fewer months', async () => {
  expect(shown(await ask({ affiliate_id: other }))).toEqual([[monthOf(2), 2, ['2 8000', '0 8000']]])
  expect((await ask({ campaign_id: scene.place.campaign_id })).data.length).toBe(2)
  expect((await ask({ campaign_id: scene.place.campaign_id + 999_999 })).data).toEqual([])
  expect((await admin.call('getCohorts', { query: { months: 7 } })).status).toBe(422)
})

it('with a reporting currency, months are converted at the rate of their last day', async () => {
  const { db } = scene.database
  await admin.call('updateAccount', { body: { reporting_currency: 'USD' } })
  const withoutRate = await ask()
  expect(withoutRate.left_out).toEqual(['JPY'])
  const whole = ({ data }: Cohorts) => data.map(({ months }) => months.every(({ is_whole }) => is_whole))
  expect(whole(withoutRate)).toEqual([false, true])
  const untilEach = [['USD 12000'], ['USD 8000'], ['USD 13000']]
  expect(originals(withoutRate)).toEqual([[['USD 8000'], ['USD 8000']], untilEach])
  await setRate(db, { from: 'JPY', to: 'USD', rate: '0.01', day: `${monthOf(2)}-20` })
  const cohorts = await ask()
  expect([cohorts.currency, cohorts.is_converted, cohorts.left_out]).toEqual(['USD', true, []])
  expect(whole(cohorts)).toEqual([true, true])
  expect(shown(cohorts)[0]).toEqual([monthOf(2), 2, ['2 11000', '0 11000']])
  const both = ['JPY 3000', 'USD 8000']
  expect(originals(cohorts)).toEqual([[both, both], untilEach])
  await admin.call('updateAccount', { body: { reporting_currency: null } })
})

it('as a file: a line for each month of each cohort', async () => {
  const { text } = await admin.call('downloadCohorts', { query: { affiliate_id: other } })
  expect(text.split('\r\n').slice(0, 3)).toEqual([
    'cohort,customers,months_since,buyers,cumulated_USD,cumulated_per_customer_USD',
    // Without the average: one of the customers has paid in another currency.
    `${monthOf(2)},2,0,2,80.00,`,
    `${monthOf(2)},2,1,0,80.00,`,
  ])
  const { affiliate_id } = scene.place
  const { text: whole } = await admin.call('downloadCohorts', { query: { affiliate_id } })
  expect(whole.split('\r\n')[1]).toBe(`${monthOf(3)},2,0,2,120.00,60.00`)
})
