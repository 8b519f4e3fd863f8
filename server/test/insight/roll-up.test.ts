/**
 * Protects the roll-ups: whatever happens, and however late, the facts are those of an independent count of the rows, before a day is rolled
 * up, while it waits to be computed again, and after. Two processes at once, and another time zone, make no difference.
 */
import {
  type ExploreDimension,
  type ExploreSort,
  exploreSorts,
  exploreSources,
} from '@tributary/contract/dashboard'
import { expect, it } from 'vitest'
import { sumCrossed } from '../../src/insight/crossed-sums.store.ts'
import {
  ALL,
  type FactKey,
  type FactSum,
  sumAffiliates,
  sumFacts,
  sumWithActive,
} from '../../src/insight/fact-sums.store.ts'
import { rollUpOpenDays } from '../../src/insight/open-day.ts'
import { closeDays, rebuild, rollUp, rollUpDay } from '../../src/insight/roll-up.ts'
import { sumSources } from '../../src/insight/source-sums.store.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildCommission,
  buildReferral,
  unique,
} from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { Business, randomFrom } from './business.ts'
import {
  type Asked,
  type Facts,
  factsOf,
  factsWithin,
  rawCrossedFacts,
  rawFacts,
  rawSourceFacts,
  storedFacts,
  storedSourceFacts,
  summedBy,
  summedByValue,
} from './raw-facts.ts'
import { rollUpAll as rollUpEveryDay } from './roll-up-all.ts'

const scene = useOwnScene()
const RETENTION_DAYS = 400
const seed = Number(process.env.CHAOS_SEED ?? 24)
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const range = ([from, to] = [-60, 2]) => ({
  accountId: scene.account.id,
  from: dayFromNow(from),
  to: dayFromNow(to),
  reportingCurrency: null as string | null,
})
/** Of every length: between two totals they are read from these, and before and after them by day. */
const ranges: [number, number][] = [
  [-60, 2],
  [-47, -3],
  [-18, -3],
  [-16, 0],
  [-9, -2],
  [-5, -5],
]

/** The independent count of all. */
function summedUp(raw: [string, number][]): Facts {
  const facts: Facts = {}
  for (const [key, amount] of raw) {
    const name = `${ALL} ${key.split(' ').slice(3).join(' ')}`
    facts[name] = (facts[name] ?? 0) + amount
  }
  return facts
}

async function expectRight(zone: string): Promise<void> {
  const { db } = scene.database
  const raw = await rawFacts(scene.database.owner, scene.account.id, zone)
  for (const [index, of] of ranges.entries()) {
    const within = factsWithin(raw, range(of))
    const expected = (by: FactKey) => summedBy(within, by)
    for (const by of ['day', 'campaign', 'affiliate'] as const)
      expect([of, by, factsOf(await sumFacts(db, range(of), by))]).toEqual([of, by, expected(by)])
    const active = new Set(within.map(([key]) => key.split(' ')[2]))
    for (const by of ['day', 'campaign'] as const) {
      const sums = await sumWithActive(db, range(of), by)
      expect([of, by, factsOf(sums)]).toEqual([of, by, expected(by)])
      for (const each of sums) expect([of, each.active_affiliates]).toEqual([of, active.size])
    }
    // All, the first one, and the same one by its id.
    const sort = exploreSorts[index % exploreSorts.length] as ExploreSort
    const all = await sumAffiliates(db, range(of), { sort, limit: null })
    const rows = all.filter(({ key }) => key !== ALL)
    expect([of, sort, factsOf(rows)]).toEqual([of, sort, expected('affiliate')])
    const total = factsOf(all.filter(({ key }) => key === ALL))
    expect([of, sort, total]).toEqual([of, sort, summedUp(within)])
    for (const each of all) expect([of, each.active_affiliates]).toEqual([of, active.size])
    const [first] = rows
    const ofFirst = all.filter(({ key }) => key === ALL || key === first?.key)
    expect([of, sort, await sumAffiliates(db, range(of), { sort, limit: 1 })]).toEqual([of, sort, ofFirst])
    const named = await sumFacts(db, { ...range(of), affiliateIds: [Number(first?.key ?? 0)] }, 'affiliate')
    expect([of, named]).toEqual([
      of,
      ofFirst.filter(({ key }) => key !== ALL).map(({ active_affiliates: _, ...sums }) => sums),
    ])
  }
  await expectRightSources(zone)
}

/** By every dimension and in several ranges; every dimension adds up to all earnings. */
async function expectRightSources(zone: string): Promise<void> {
  const { db, owner } = scene.database
  const raw = await rawSourceFacts(owner, scene.account.id, zone)
  for (const of of ranges.slice(0, 3))
    for (const dimension of exploreSources) {
      const sums = factsOf(await sumSources(db, range(of), dimension))
      expect([of, dimension, sums]).toEqual([of, dimension, summedByValue(raw, dimension, range(of))])
    }
  await expectRightCrossings(zone)
  for (const by of ['day', 'campaign'] as const) {
    const money = ({ clicks: _, unique_clicks: __, leads: ___, ...rest }: FactSum) => rest
    const all = (await sumFacts(db, range(), by)).map(money)
    const device = (await sumSources(db, range(), 'device', { key: by })).map(money)
    expect([by, factsOf(device as FactSum[])]).toEqual([by, factsOf(all as FactSum[])])
  }
}

/** The independent count of a crossing, by the part of its keys that it is broken down by. */
function crossed(raw: Facts, part: number, { from, to }: { from: string; to: string }): Facts {
  const facts: Facts = {}
  for (const [key, amount] of Object.entries(raw)) {
    const parts = key.split(' ')
    if ((parts[0] as string) < from || (parts[0] as string) > to) continue
    const name = `${parts[part]?.replaceAll('+', ' ')} ${parts.slice(4).join(' ')}`
    facts[name] = (facts[name] ?? 0) + amount
  }
  return facts
}

/** Affiliates by source, sources by affiliate, and one source by another. */
async function expectRightCrossings(zone: string): Promise<void> {
  const { db, owner } = scene.database
  const [affiliate] = await sumFacts(db, range(), 'affiliate')
  const affiliateIds = [Number(affiliate?.key)]
  const source = { dimension: 'referrer', value: 'blog.example' } as const
  for (const of of ranges.slice(0, 3))
    for (const [asked, by, part] of [
      [{ affiliateIds }, 'referrer', 3],
      [{ affiliateIds }, 'country', 3],
      [{ affiliateIds, source }, 'day', 0],
      [{ source }, 'affiliate', 2],
      [{ source }, 'device', 3],
      [{ source: { dimension: 'utm_source', value: 'news' } }, 'landing_page', 3],
      [{ source: { dimension: 'device', value: 'mobile' } }, 'link', 3],
      [{ affiliateIds, source }, 'campaign', 1],
      [{ source: { dimension: 'device', value: '(no click)' } }, 'affiliate', 2],
    ] as [Asked, ExploreDimension, number][]) {
      const dimension = exploreSources.find(each => each === by)
      const raw = await rawCrossedFacts(owner, scene.account.id, zone, asked, dimension)
      const sums = await sumCrossed(db, { ...range(of), ...asked }, by)
      expect([of, asked, by, factsOf(sums)]).toEqual([of, asked, by, crossed(raw, part, range(of))])
    }
}

const marks = async () =>
  (await scene.database.owner.query('SELECT 1 FROM insight_marks WHERE account_id = $1', [scene.account.id]))
    .rowCount

/** The open day too, as of a busy account. */
async function rollUpAll(): Promise<void> {
  await rollUpEveryDay(scene, RETENTION_DAYS)
  await rollUpOpenDays(scene.database.db, { stepFacts: 0 })
}

/** What is stored of the closed days. */
const untilClosed = async (facts: Facts): Promise<Facts> => {
  const closed = await closedUntil()
  return Object.fromEntries(Object.entries(facts).filter(([key]) => key.slice(0, 10) <= closed))
}
const closedFacts = async () => untilClosed(await storedFacts(scene.database.owner, scene.account.id))

async function closedUntil(): Promise<string> {
  const { rows } = await scene.database.owner.query(
    `SELECT to_char(closed_until, 'YYYY-MM-DD') AS day FROM insight_accounts WHERE account_id = $1`,
    [scene.account.id],
  )
  return rows[0].day
}

async function expectStored(zone: string): Promise<void> {
  const { owner } = scene.database
  const { id } = scene.account
  expect(await closedFacts()).toEqual(await untilClosed(await rawFacts(owner, id, zone)))
  expect(await untilClosed(await storedSourceFacts(owner, id))).toEqual(
    await untilClosed(await rawSourceFacts(owner, id, zone)),
  )
  expect(await findWrongDays(scene.database.db, RETENTION_DAYS)).toEqual([])
}

/** An affiliate who was active before most ranges, and in none of them. */
async function earnLongAgo(): Promise<void> {
  const { database, place } = scene
  const { id } = await buildAffiliate(database, place.account_id, place.campaign_id)
  const once = { ...place, affiliate_id: id }
  const at = `${dayFromNow(-55)}T12:00:00Z`
  const referral_id = await buildReferral(database, once, { occurred_at: at })
  for (let each = 0; each < 5; each++) await buildCommission(database, once, { referral_id, created_at: at })
}

it(`count what the rows count, seed ${seed}`, { timeout: 180_000 }, async () => {
  const { db } = scene.database
  const business = new Business(scene, randomFrom(seed))
  await business.open()
  await earnLongAgo()
  await business.click(60)
  await business.run(30)
  await expectRight('UTC')

  await rollUpAll()
  await expectRight('UTC')
  await expectStored('UTC')

  // Late reports, refunds and rejections mark their days; until they are computed again, these are read from the rows.
  await business.run(30)
  await expectRight('UTC')
  await Promise.all([rollUpAll(), rollUp(db, RETENTION_DAYS), business.run(10), rollUp(db, RETENTION_DAYS)])
  await rollUpAll()
  await expectRight('UTC')
  await expectStored('UTC')

  for (const zone of ['Asia/Kathmandu', 'America/New_York']) {
    await updateAccount(db, scene.account.id, { time_zone: zone })
    await expectRight(zone)
    await rollUpAll()
    await expectRight(zone)
    await expectStored(zone)
  }

  const before = await closedFacts()
  await scene.database.owner.query(
    'UPDATE insight_earnings SET commissions_minor = commissions_minor + 1, sales = 7',
  )
  await scene.database.owner.query('DELETE FROM insight_visits')
  expect(await findWrongDays(db, RETENTION_DAYS)).not.toEqual([])
  expect(await rebuild(db, scene.account.id, RETENTION_DAYS)).toBeGreaterThan(5)
  expect(await closedFacts()).toEqual(before)
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])

  const sums = [
    ['insight_visit_days', 'leads'],
    ['insight_earning_days', 'sales'],
    ['insight_totals', 'clicks'],
    ['insight_totals', 'conversions'],
    ['insight_totals', 'commissions_minor'],
    ['insight_sources', 'leads'],
    ['insight_source_earnings', 'revenue_minor'],
  ]
  const damage = ([table, figure]: string[], by: number) =>
    scene.database.owner.query(`UPDATE ${table} SET ${figure} = ${figure} + ${by}`)
  for (const sum of sums) {
    await damage(sum, 1)
    expect([sum, await findWrongDays(db, RETENTION_DAYS)]).not.toEqual([sum, []])
    await damage(sum, -1)
  }
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
  for (const sum of sums) await damage(sum, 1)
  await rebuild(db, scene.account.id, RETENTION_DAYS)
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
  await expectRight('America/New_York')
})

it('sums and totals follow a day that the version before replaces as a whole', async () => {
  const { db, owner } = scene.database
  for (const table of ['insight_visits', 'insight_earnings']) {
    const days = `SELECT * FROM ${table} WHERE account_id = ${scene.account.id} AND day < now() - interval '8 days'`
    await owner.query(`CREATE TABLE replaced AS ${days}`)
    expect((await owner.query('SELECT FROM replaced')).rowCount).toBeGreaterThan(0)
    await owner.query(
      `DELETE FROM ${table} WHERE account_id = ${scene.account.id} AND day < now() - interval '8 days'`,
    )
    await owner.query(`INSERT INTO ${table} SELECT * FROM replaced`)
    await owner.query('DROP TABLE replaced')
  }
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
})

it('a reporting currency converts each day of an affiliate at its rate', async () => {
  const { db, owner } = scene.database
  for (const [days, rate] of [
    [-70, '1.1'],
    [-15, '1.25'],
    [-6, '0.9'],
  ] as const)
    await owner.query(
      `INSERT INTO fx_rates (base, quote, rate, day, source) VALUES ('USD', 'EUR', $1, $2, 'test')`,
      [rate, dayFromNow(days)],
    )
  for (const of of ranges) {
    const scope = { ...range(of), reportingCurrency: 'EUR' }
    const sum = async (by: FactKey) => {
      const rows = await sumFacts(db, scope, by)
      return rows.reduce((total, { revenue_converted: converted }) => total + Number(converted ?? 0), 0)
    }
    const converted = await sum('day')
    expect([of, await sum('affiliate')]).toEqual([of, expect.closeTo(converted, 6)])
    expect([of, converted > 0 || of[0] === of[1]]).toEqual([of, true])

    const worth = new Map<string, number>()
    for (const { key, commissions_converted } of await sumFacts(db, scope, 'affiliate'))
      worth.set(key, (worth.get(key) ?? 0) + Number(commissions_converted ?? 0))
    const ranked = await sumAffiliates(db, scope, { sort: 'commissions', limit: null })
    const keys = [...new Set(ranked.flatMap(({ key }) => (key === ALL ? [] : key)))]
    const values = keys.map(key => worth.get(key) ?? 0)
    expect([of, values]).toEqual([of, values.toSorted((a, b) => b - a)])
    for (const { active_affiliates } of ranked) expect([of, active_affiliates]).toEqual([of, worth.size])
    expect(keys.length).toBe(worth.size)
  }
})

it('many marked days of the past take their totals back first, which are added again', async () => {
  const { db, owner } = scene.database
  const { id } = scene.account
  const totals = async () => {
    const { rows } = await owner.query(
      `SELECT (SELECT to_char(max(d.until), 'YYYY-MM-DD') FROM insight_total_days d WHERE d.account_id = $1) AS until, a.time_zone AS zone,
              (SELECT count(*) FROM insight_total_days d WHERE d.account_id = $1)::integer AS days,
              (SELECT count(DISTINCT (t.until, t.affiliate_id, t.campaign_id)) FROM insight_totals t WHERE t.account_id = $1)::integer AS count
         FROM accounts a WHERE a.id = $1`,
      [id],
    )
    return rows[0]
  }
  const mark = (days: number) =>
    owner.query(
      `INSERT INTO insight_marks (account_id, at, with_visits)
       SELECT $1, day_start((now() AT TIME ZONE a.time_zone)::date - 1 - n, a.time_zone), true
         FROM accounts a, generate_series(1, $2) n WHERE a.id = $1`,
      [id, days],
    )
  await rollUpAll()
  const before = await totals()
  expect(before.count).toBeGreaterThan(0)

  await mark(5)
  await rollUpDay(db, id, RETENTION_DAYS)
  expect(await totals()).toEqual(before)

  await mark(32)
  await rollUpDay(db, id, RETENTION_DAYS)
  const cut = await totals()
  expect(cut.until < dayFromNow(-32)).toBe(true)
  expect(cut.count).toBeLessThan(before.count)
  await expectRight(before.zone)
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])

  await rollUpAll()
  expect(await totals()).toEqual(before)
  await expectRight(before.zone)
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
})

it('sources count the clicks, whether their days are rolled up or not', async () => {
  const { db } = scene.database
  const clicks = (await sumFacts(db, range(), 'campaign')).reduce((sum, row) => sum + row.clicks, 0)
  for (const dimension of [
    'referrer',
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'sub_id',
    'device',
    'landing_page',
    'country',
  ] as const) {
    const sums = await sumSources(db, range(), dimension)
    expect(sums.reduce((sum, row) => sum + row.clicks, 0)).toBe(clicks)
    expect([...new Set(sums.map(({ key }) => key))]).toEqual([
      '(no click)',
      ...{
        referrer: ['(none)', 'blog.example'],
        utm_source: ['(none)', 'news'],
        utm_medium: ['(none)', 'e mail'],
        utm_campaign: ['(none)', 'café week'],
        sub_id: ['(none)', '7'],
        device: ['desktop', 'mobile'],
        country: ['(none)', 'DE'],
        landing_page: ['https://shop.example/', 'https://shop.example/plans'],
      }[dimension],
    ])
  }
})

it('a day has at most 200 values of a dimension, those with most business, and the rest as one', async () => {
  const { database, account } = scene
  const campaign = await buildCampaign(database, account.id)
  const { id: affiliate } = await buildAffiliate(database, account.id, campaign.id)
  const at = new Date(Date.now() - 3 * 86_400_000).toISOString()
  const { rows } = await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, user_agent, landing_url, created_at)
     SELECT $1, $2, $3, false, 'Mozilla/5.0', 'https://shop.example/?sub_id=' || n, $4 FROM generate_series(1, 203) n RETURNING id`,
    [account.id, campaign.id, affiliate, at],
  )
  for (const { id } of [...rows, rows[202]]) {
    const place = { account_id: account.id, campaign_id: campaign.id, affiliate_id: affiliate }
    const referral = await buildReferral(database, place, { occurred_at: at })
    await database.owner.query(
      `INSERT INTO conversions (account_id, campaign_id, customer_ref, referral_id, attribution, occurred_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        account.id,
        campaign.id,
        unique('customer'),
        referral,
        { candidates: [{ click_id: Number(id), outcome: 'won' }] },
        at,
      ],
    )
  }
  const values = async () => {
    const sums = await sumSources(database.db, { ...range(), campaignIds: [campaign.id] }, 'sub_id')
    const of = (value: string) => sums.find(({ key }) => key === value)
    const other = of('(other)')
    return [sums.length, of('203')?.conversions, other?.clicks, other?.conversions]
  }
  expect(await values()).toEqual([201, 2, 3, 3])
  await rollUpAll()
  expect(await values()).toEqual([201, 2, 3, 3])
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
})

it('a day whose clicks were dropped keeps its count, and its money is still computed again', async () => {
  const { database, account } = scene
  await rollUpAll()
  const clicks = async () => Object.entries(await closedFacts()).filter(([key]) => key.endsWith(' clicks'))
  const before = await clicks()
  expect(before.length).toBeGreaterThan(0)
  await database.owner.query('DELETE FROM clicks WHERE account_id = $1', [account.id])
  await rebuild(database.db, account.id, RETENTION_DAYS)
  expect(await clicks()).toEqual(before)
})

it('of two processes, one computes a day and the other leaves it alone', async () => {
  const { database, account, place } = scene
  await rollUpAll()
  await buildReferral(database, place, { occurred_at: new Date(Date.now() - 5 * 86_400_000).toISOString() })
  expect(await marks()).toBe(1)
  const second = await whileHeld(
    database,
    tx => rollUpDay(tx, account.id, RETENTION_DAYS),
    () => rollUpDay(database.db, account.id, RETENTION_DAYS),
  )
  expect(second).toBeUndefined()
  expect(await marks()).toBe(0)
})

it('recent business leaves no mark', async () => {
  const { database, place } = scene
  await buildReferral(database, place, { occurred_at: new Date().toISOString() })
  expect(await marks()).toBe(0)
})

it('a day is not closed before every transaction of its time has ended', async () => {
  const { database, account } = scene
  const client = await database.owner.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_current_xact_id()')
    await database.owner.query(
      `UPDATE insight_accounts SET closed_until = closed_until - 1 WHERE account_id = $1`,
      [account.id],
    )
    const closed = async () =>
      (
        await database.owner.query(
          `SELECT to_char(closed_until, 'YYYY-MM-DD') AS day FROM insight_accounts WHERE account_id = $1`,
          [account.id],
        )
      ).rows[0].day
    const day = await closed()
    await rollUp(database.db, RETENTION_DAYS, 100)
    expect(await closed()).toBe(day)
    await client.query('COMMIT')
    await rollUpAll()
    expect((await closed()) > day).toBe(true)
  } finally {
    client.release()
  }
})

it('closing a day twice changes nothing', async () => {
  const { database, account } = scene
  const at = new Date().toISOString()
  await Promise.all(
    [1, 2, 3].map(() => closeDays(database.db, account.id, { at }, { retentionDays: RETENTION_DAYS })),
  )
  await rollUpAll()
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
})

it('doctor finds wrong money of the first and the last of many days', async () => {
  const { database, place } = scene
  for (let days = 40; days > 1; days -= 3) {
    const at = `${dayFromNow(-days)}T12:00:00Z`
    const referral_id = await buildReferral(database, place, { occurred_at: at })
    await buildCommission(database, place, { referral_id, created_at: at })
  }
  await rollUpAll()
  const wrong = [dayFromNow(-40), dayFromNow(-4)]
  for (const table of ['insight_earnings', 'insight_source_earnings']) {
    const change = (by: number) =>
      database.owner.query(
        `UPDATE ${table} SET conversions = conversions + $1 WHERE account_id = $2 AND day = ANY ($3)`,
        [by, scene.account.id, wrong],
      )
    await change(1)
    const problems = await findWrongDays(database.db, RETENTION_DAYS)
    expect(problems.map(problem => problem.slice(15, 25))).toEqual(wrong)
    await change(-1)
  }
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
})

it('doctor finds wrong clicks of the first and the last of many days, and sources that differ only in their value', async () => {
  const { database, place, account } = scene
  for (let days = 40; days > 1; days -= 3)
    await database.owner.query(
      `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, user_agent, landing_url, created_at)
       VALUES ($1, $2, $3, false, 'Mozilla/5.0 (X11; Linux x86_64)', 'https://shop.example/?utm_source=news', $4)`,
      [account.id, place.campaign_id, place.affiliate_id, `${dayFromNow(-days)}T12:00:00Z`],
    )
  // Clicks arrive as they happen: earlier ones leave no mark.
  await rebuild(database.db, account.id, RETENTION_DAYS)
  await rollUpAll()
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
  // No other day is compared before: the clicks of a part of it may have been dropped.
  const wrong = [dayFromNow(-37), dayFromNow(-4)]
  for (const [table, damage, repair] of [
    ['insight_visits', 'unique_clicks = unique_clicks + 1', 'unique_clicks = unique_clicks - 1'],
    ['insight_sources', `value = value || 'x'`, 'value = left(value, -1)'],
  ]) {
    const change = (how: string | undefined) =>
      database.owner.query(`UPDATE ${table} SET ${how} WHERE account_id = $1 AND day = ANY ($2)`, [
        account.id,
        wrong,
      ])
    await change(damage)
    const problems = await findWrongDays(database.db, RETENTION_DAYS)
    expect(problems.map(problem => problem.slice(15, 25))).toEqual(wrong)
    await change(repair)
  }
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
})

it('made-up sources with made-up leads displace no source that has more clicks', async () => {
  const { database } = scene
  const account = await buildAccount(database)
  const campaign = await buildCampaign(database, account.id)
  const { id: affiliate } = await buildAffiliate(database, account.id, campaign.id)
  const at = new Date(Date.now() - 3 * 86_400_000).toISOString()
  const click = (source: string, count: number) =>
    database.owner.query(
      `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, user_agent, landing_url, created_at)
       SELECT $1, $2, $3, false, 'Mozilla/5.0', 'https://shop.example/?utm_source=' || $4 || n, $5
         FROM generate_series(1, $6) n RETURNING id`,
      [account.id, campaign.id, affiliate, source, at, count],
    )
  for (const _ of [1, 2]) await click('newsletter', 1)
  const { rows } = await click('made-up-', 200)
  await database.owner.query(
    `INSERT INTO tracked_leads (account_id, email_hash, click_id, created_at)
     SELECT $1, sha256(id::text::bytea), id, $3 FROM unnest($2::bigint[]) id`,
    [account.id, rows.map(({ id }) => id), at],
  )
  const clicks = async () => {
    const sums = await sumSources(database.db, { ...range(), accountId: account.id }, 'utm_source')
    return ['newsletter1', '(other)'].map(value => sums.find(({ key }) => key === value)?.clicks)
  }
  expect(await clicks()).toEqual([2, 1])
  await rollUpEveryDay({ database, account }, RETENTION_DAYS)
  expect(await clicks()).toEqual([2, 1])
})
