/** Protects counts that outlive the clicks they were made from, and doctor from taking such a day for a wrong one. */
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { pastMidnight } from '../../../testing/past-midnight.ts'
import { sumFacts } from '../../src/insight/fact-sums.store.ts'
import { closeDays, rebuild } from '../../src/insight/roll-up.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { DAY_MS } from '../../src/kit/timestamp.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { buildReferral, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { rollUpAll } from './roll-up-all.ts'

await pastMidnight()

const scene = useOwnScene()
const RETENTION_DAYS = 30
const now = Date.now()
/** At noon, so that other time zones keep the day. */
const daysAgo = (days: number) => `${new Date(now - days * DAY_MS).toISOString().slice(0, 10)}T12:00:00Z`
const dayOf = (days: number) => daysAgo(days).slice(0, 10)
const query = (text: string, values: unknown[] = []) =>
  scene.database.owner.query(text, [scene.account.id, ...values])
const wrongDays = () => findWrongDays(scene.database.db, RETENTION_DAYS)

async function click(at: string): Promise<number> {
  const { rows } = await query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, user_agent, created_at)
     VALUES ($1, $2, $3, false, 'Mozilla/5.0 (X11; Linux x86_64)', $4) RETURNING id`,
    [scene.place.campaign_id, scene.place.affiliate_id, at],
  )
  return rows[0].id
}
const lead = (clickId: number, at: string) =>
  query('INSERT INTO tracked_leads (account_id, email_hash, click_id, created_at) VALUES ($1, $2, $3, $4)', [
    randomBytes(32),
    clickId,
    at,
  ])
async function convert(clickId: number, at: string): Promise<number> {
  const { database, place } = scene
  const referral = await buildReferral(database, place, { occurred_at: at })
  await query(
    `INSERT INTO conversions (account_id, campaign_id, customer_ref, referral_id, attribution, occurred_at) VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      place.campaign_id,
      unique('customer'),
      referral,
      { candidates: [{ click_id: clickId, outcome: 'won' }] },
      at,
    ],
  )
  return referral
}
const sell = (referral: number, at: string) =>
  query(
    `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
     VALUES ($1, $2, 'customer', $3, 1000, 'USD', $4)`,
    [unique('sale'), referral, at],
  )
/** What is stored for a day: clicks and leads, and conversions of a source. */
async function counted(days: number) {
  const { rows } = await query(
    `SELECT (SELECT sum(clicks)::integer FROM insight_visits WHERE account_id = $1 AND day = $2) AS clicks,
            (SELECT sum(leads)::integer FROM insight_visits WHERE account_id = $1 AND day = $2) AS leads,
            (SELECT sum(clicks)::integer FROM insight_sources WHERE account_id = $1 AND day = $2 AND dimension = 'device') AS by_source,
            (SELECT sum(conversions)::integer FROM insight_source_earnings
              WHERE account_id = $1 AND day = $2 AND dimension = 'device' AND value = 'desktop') AS converted`,
    [dayOf(days)],
  )
  return rows[0]
}

let referral: number
let oldClick: number
beforeAll(async () => {
  // An installation that is older than its retention: clicks are dropped by the month, leads by the day.
  for (const days of [45, 40, 31, 30, 29, 20, 10]) await click(daysAgo(days))
  oldClick = await click(daysAgo(35))
  await lead(await click(daysAgo(30)), daysAgo(30))
  await lead(oldClick, daysAgo(10))
  referral = await convert(oldClick, daysAgo(10))
  await sell(referral, daysAgo(10))
})
const tenDaysAgo = { clicks: 1, leads: 1, by_source: 1, converted: 1 }

it('days that are older than the retention are counted while their clicks are all there', async () => {
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await counted(40)).toEqual({ clicks: 1, leads: 0, by_source: 1, converted: null })
  expect(await counted(31)).toMatchObject({ clicks: 1 })
  expect(await wrongDays()).toEqual([])
})

it('doctor finds nothing wrong when leads and clicks are dropped, and still finds a wrong day', async () => {
  await query(`DELETE FROM tracked_leads WHERE account_id = $1 AND created_at < now() - interval '29 days'`)
  await query('DELETE FROM clicks WHERE account_id = $1 AND created_at < $2', [daysAgo(30)])
  expect(await wrongDays()).toEqual([])
  const damage = (by: number) =>
    query('UPDATE insight_visits SET clicks = clicks + $2 WHERE account_id = $1 AND day = $3', [
      by,
      dayOf(20),
    ])
  await damage(1)
  expect(await wrongDays()).toEqual([expect.stringContaining(dayOf(20))])
  await damage(-1)
})

it('days whose clicks were dropped keep their counts while they wait to be computed again', async () => {
  await query('UPDATE insight_accounts SET facts_version = 0 WHERE account_id = $1')
  await closeDays(scene.database.db, scene.account.id, { at: undefined }, { retentionDays: RETENTION_DAYS })
  const range = { accountId: scene.account.id, from: dayOf(41), to: dayOf(39), reportingCurrency: null }
  const waiting = await sumFacts(scene.database.db, range, 'day')
  expect(waiting.map(({ key, clicks }) => [key, clicks])).toEqual([[dayOf(40), 1]])
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await counted(40)).toMatchObject({ clicks: 1, by_source: 1 })
  expect(await wrongDays()).toEqual([])
})

it('money that changes later does not lower the leads and sources whose click was dropped; nor does rebuilding', async () => {
  await sell(referral, daysAgo(10))
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await counted(10)).toEqual(tenDaysAgo)
  const sales = async () => {
    const { rows } = await query(
      `SELECT (SELECT sum(sales)::integer FROM insight_earnings WHERE account_id = $1 AND day = $2) AS all_sales,
              (SELECT sum(sales)::integer FROM insight_source_earnings
                WHERE account_id = $1 AND day = $2 AND dimension = 'device' AND value = 'desktop') AS of_source`,
      [dayOf(10)],
    )
    return rows[0]
  }
  expect(await sales()).toEqual({ all_sales: 2, of_source: 2 })
  await rebuild(scene.database.db, scene.account.id, RETENTION_DAYS)
  expect([await counted(10), await sales()]).toEqual([tenDaysAgo, { all_sales: 2, of_source: 2 }])
  expect(await wrongDays()).toEqual([])
})

it('another time zone leaves the counts of days that cannot be counted again', async () => {
  await updateAccount(scene.database.db, scene.account.id, { time_zone: 'Asia/Kathmandu' })
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await counted(40)).toMatchObject({ clicks: 1, by_source: 1 })
  expect(await counted(20)).toMatchObject({ clicks: 1, by_source: 1 })
  expect(await counted(10)).toEqual(tenDaysAgo)
  expect(await wrongDays()).toEqual([])
  await updateAccount(scene.database.db, scene.account.id, { time_zone: 'UTC' })
  await rollUpAll(scene, RETENTION_DAYS)
  expect([await counted(40), await counted(10)]).toMatchObject([{ clicks: 1, by_source: 1 }, tenDaysAgo])
})

it('a late sale changes its own day and that of the next sale, and no other', async () => {
  const customer = await convert(await click(daysAgo(9)), daysAgo(9))
  for (const days of [9, 8, 5, 4]) await sell(customer, daysAgo(days))
  await rollUpAll(scene, RETENTION_DAYS)
  await query('UPDATE insight_earnings SET refunds = 7 WHERE account_id = $1')
  await sell(customer, daysAgo(7))
  await rollUpAll(scene, RETENTION_DAYS)
  const { rows } = await query(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, customers, sales, refunds FROM insight_earnings
      WHERE account_id = $1 AND currency = 'USD' AND day >= $2 ORDER BY 1`,
    [dayOf(9)],
  )
  expect(rows).toEqual([
    { day: dayOf(9), customers: 1, sales: 1, refunds: 7 },
    { day: dayOf(8), customers: 0, sales: 1, refunds: 7 },
    { day: dayOf(7), customers: 0, sales: 1, refunds: 0 },
    { day: dayOf(5), customers: 0, sales: 1, refunds: 0 },
    { day: dayOf(4), customers: 0, sales: 1, refunds: 7 },
  ])
})
