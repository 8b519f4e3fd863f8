/**
 * Protects the roll-up of the open day: what is stored of it and what is not are never counted twice or left out, whatever changes, in
 * whatever order, by two processes at once, and when the day is closed.
 */
import { type ExploreSource, exploreSources } from '@tributary/contract/dashboard'
import { expect, it } from 'vitest'
// @ts-expect-error The benchmarks are plain JavaScript.
import { hoursAgo, lateDay, lateZone } from '../../../testing/late-in-the-day.js'
import type { Sql } from '../../src/db/sql.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { type FactKey, sumAffiliates, sumFacts } from '../../src/insight/fact-sums.store.ts'
import { advanceOpenDay, rollUpOpenDays } from '../../src/insight/open-day.ts'
import { closeDays, rebuild, rollUp, rollUpDay } from '../../src/insight/roll-up.ts'
import { sumSources } from '../../src/insight/source-sums.store.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { buildCommission, buildReferral } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { Business, randomFrom } from './business.ts'
import {
  factsOf,
  factsWithin,
  rawFacts,
  rawSourceFacts,
  storedFacts,
  storedSourceFacts,
  summedBy,
  summedByValue,
} from './raw-facts.ts'
import { rollUpAll } from './roll-up-all.ts'

const scene = useOwnScene()
const RETENTION_DAYS = 400
const HOUR_MS = 3_600_000
const seed = Number(process.env.CHAOS_SEED ?? 24)

const day = lateDay()
const dayBefore = lateDay(1)

const state = async () =>
  (
    await scene.database.owner.query(
      `SELECT s.open_until, s.open_has_changed, to_char(s.closed_until, 'YYYY-MM-DD') AS closed_until
         FROM insight_accounts s WHERE s.account_id = $1`,
      [scene.account.id],
    )
  ).rows[0]

/** Of the day alone, and with the one before it. */
const starts = [day, dayBefore]

/** What is read, by every key, of all and of one affiliate. */
async function read(from: string) {
  const { db } = scene.database
  const scope = { accountId: scene.account.id, from, to: day, reportingCurrency: null }
  const sums = async (by: FactKey) => factsOf(await sumFacts(db, scope, by))
  const ranked = await sumAffiliates(db, scope, { sort: 'clicks', limit: null })
  return {
    day: await sums('day'),
    campaign: await sums('campaign'),
    affiliate: await sums('affiliate'),
    ranked: factsOf(ranked.filter(({ key }) => key !== '')),
  }
}

const readSources = async (dimension: ExploreSource) =>
  factsOf(
    await sumSources(
      scene.database.db,
      { accountId: scene.account.id, from: day, to: day, reportingCurrency: null },
      dimension,
    ),
  )

async function expectRight(stage: string): Promise<void> {
  const raw = await rawFacts(scene.database.owner, scene.account.id, lateZone)
  for (const from of starts) {
    const expected = (by: FactKey) => summedBy(factsWithin(raw, { from, to: day }), by)
    expect([stage, from, await read(from)]).toEqual([
      stage,
      from,
      {
        day: expected('day'),
        campaign: expected('campaign'),
        affiliate: expected('affiliate'),
        ranked: expected('affiliate'),
      },
    ])
  }
  const rawSources = await rawSourceFacts(scene.database.owner, scene.account.id, lateZone)
  for (const dimension of exploreSources)
    expect([stage, dimension, await readSources(dimension)]).toEqual([
      stage,
      dimension,
      summedByValue(rawSources, dimension, { from: day, to: day }),
    ])
  expect([stage, await findWrongDays(scene.database.db, RETENTION_DAYS)]).toEqual([stage, []])
}

/** Referrals of the stored part that a click won, and those of them whose source is kept. */
const wonReferrals = async (): Promise<{ won: number; kept: number }> =>
  (
    await scene.database.owner.query(
      `SELECT count(*)::integer AS won, count(x.referral_id)::integer AS kept
         FROM insight_accounts s
         JOIN referrals r ON r.account_id = s.account_id AND r.occurred_at >= day_start($2, $3) AND r.occurred_at < s.open_until
         JOIN conversions v ON v.referral_id = r.id
         JOIN clicks k ON v.attribution @> jsonb_build_object('candidates', jsonb_build_array(
                            jsonb_build_object('outcome', 'won', 'click_id', k.id)))
         LEFT JOIN referral_sources x ON x.referral_id = r.id
        WHERE s.account_id = $1`,
      [scene.account.id, day, lateZone],
    )
  ).rows[0]

const advance = (hours = 0) => advanceOpenDay(scene.database.db, scene.account.id, hoursAgo(hours))
const rollUpMarked = async () => {
  while (await rollUpDay(scene.database.db, scene.account.id, RETENTION_DAYS));
}

/** Computes all days again, as of now: the day is open again. `rebuild` would leave it closed while another test's transaction is open. */
async function reopen(): Promise<void> {
  const options = { retentionDays: RETENTION_DAYS, again: true }
  await closeDays(scene.database.db, scene.account.id, { at: hoursAgo(0) }, options)
  await rollUpMarked()
}

it(`is exact at every step, seed ${seed}`, async () => {
  const { database, account, place } = scene
  await database.owner.query('UPDATE accounts SET time_zone = $1 WHERE id = $2', [lateZone, account.id])
  const business = new Business(scene, randomFrom(seed), { days: 20 / 24 })
  await business.open()
  await business.click(120)
  await business.run(40)
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await state()).toMatchObject({ open_until: null, closed_until: dayBefore })
  await expectRight('nothing stored')

  // From the start, on from there, and not again for the same time.
  const noon = hoursAgo(12)
  const advances = [noon, noon, hoursAgo(7), hoursAgo(9)].map(
    at => () => advanceOpenDay(database.db, account.id, at),
  )
  const advanced: boolean[] = []
  for (const each of advances) advanced.push(await each())
  expect(advanced).toEqual([true, false, true, false])
  await expectRight('half stored')
  expect(Object.keys(await storedFacts(database.owner, account.id)).some(key => key.startsWith(day))).toBe(
    true,
  )
  expect(await advance()).toBe(true)
  await expectRight('all but an hour stored')
  // Their clicks may be gone before the day is closed.
  const { won, kept } = await wonReferrals()
  expect(won).toBeGreaterThan(0)
  expect(kept).toBe(won)

  // Now stored facts are what is read: one that is wrong shows, to readers and to doctor.
  for (const [table, figure] of [
    ['insight_visits', 'clicks'],
    ['insight_sources', 'clicks'],
    ['insight_source_earnings', 'sales'],
  ]) {
    const damage = (by: number) =>
      database.owner.query(`UPDATE ${table} SET ${figure} = ${figure} + $1 WHERE day = $2`, [by, day])
    const all = async () => [await read(day), await readSources('device')]
    const before = await all()
    await damage(1)
    expect([table, await all()]).not.toEqual([table, before])
    expect([table, await findWrongDays(database.db, RETENTION_DAYS)]).toEqual([
      table,
      [`the roll-up of ${day} of account ${account.id} differs from its rows; run tributary insight rebuild`],
    ])
    await damage(-1)
  }

  // What is recent leaves no mark, and what is late does.
  await buildReferral(database, place, { occurred_at: hoursAgo(0.5) })
  await expectRight('with something recent')
  await buildCommission(database, place, { created_at: hoursAgo(5) })
  await expectRight('with a mark')
  await rollUpMarked()
  expect(await state()).toMatchObject({ open_has_changed: true })
  await expectRight('with its mark taken')
  await business.run(30)
  await rollUpMarked()
  await expectRight('after more business')
  // It is counted again once there is more of it.
  await database.owner.query(`UPDATE insight_accounts SET open_until = open_until - interval '2 hours'`)
  expect(await advance()).toBe(true)
  expect(await state()).toMatchObject({ open_has_changed: false })
  await expectRight('counted again')

  const referral = await buildReferral(database, place, { occurred_at: hoursAgo(3) })
  await reviewReferral(database.db, account.id, referral, 'rejected')
  await rollUpMarked()
  expect(await state()).toMatchObject({ open_has_changed: true })
  await expectRight('with a rejected referral')
})

it('two at once add a part once', async () => {
  const { database, account } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  expect(await advance(10)).toBe(true)
  const second = await whileHeld(
    database,
    tx => advanceOpenDay(tx, account.id, hoursAgo(1)),
    () => advance(1),
  )
  expect(second).toBe(false)
  await expectRight('added once')
})

it('visitors that are counted already are not unique again', async () => {
  const { database, account, place } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  const click = (hours: number, address: string | null) =>
    database.owner.query(
      `INSERT INTO clicks (account_id, campaign_id, affiliate_id, address_hash, is_bot, user_agent, created_at)
       VALUES ($1, $2, $3, decode(md5($4), 'hex'), false, 'Mozilla/5.0', $5)`,
      [account.id, place.campaign_id, place.affiliate_id, address, hoursAgo(hours)],
    )
  for (const hours of [15, 9, 4, 0.2]) for (const address of ['once', null]) await click(hours, address)
  for (const hours of [9, 0.1]) await click(hours, 'later')
  const unique = async () => (await read(day)).affiliate[`${place.affiliate_id} XXX unique_clicks`]
  const all = await unique()
  for (const hours of [12, 6, 2, 0]) {
    expect(await advance(hours)).toBe(true)
    expect([hours, await unique()]).toEqual([hours, all])
  }
  await expectRight('visitors')
})

/** Two clicks of each of many sources. */
const clickFrom = (first: number, count: number, hours: number) =>
  scene.database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, user_agent, landing_url, created_at)
     SELECT $1, $2, $3, false, 'Mozilla/5.0', 'https://shop.example/?utm_source=value' || $4::integer + n / 2, $6
       FROM generate_series(1, 2 * $5) n`,
    [scene.account.id, scene.place.campaign_id, scene.place.affiliate_id, first, count, hoursAgo(hours)],
  )
const dropThem = () => scene.database.owner.query("DELETE FROM clicks WHERE landing_url LIKE '%=value%'")
const stored = async (dimension: ExploreSource) =>
  (
    await scene.database.owner.query(
      `SELECT count(*)::integer AS values, count(*) FILTER (WHERE value = '(other)')::integer AS others, sum(clicks)::integer AS clicks
         FROM insight_sources WHERE day = $1 AND dimension = $2 AND campaign_id = $3`,
      [day, dimension, scene.place.campaign_id],
    )
  ).rows[0]
/** When the day can be closed. */
const tomorrow = () => new Date(Date.now() + 8 * HOUR_MS).toISOString()

it('has no part by a kind of source with more values than are stored, until its day is closed', async () => {
  const { database, account } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  const readWhole = async () => {
    const { open_until } = await state()
    await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
    const sums = await readSources('utm_source')
    await database.owner.query('UPDATE insight_accounts SET open_until = $1', [open_until])
    return sums
  }
  // Both parts together have too many; then the stored part alone.
  await clickFrom(1000, 150, 9)
  expect(await advance(6)).toBe(true)
  expect(await stored('utm_source')).toMatchObject({ others: 0 })
  await clickFrom(2000, 80, 3)
  for (const hours of [1, 0]) {
    const sums = await readSources('utm_source')
    expect(sums['(other) XXX clicks']).toBeGreaterThan(0)
    expect(sums).toEqual(await readWhole())
    expect(await advance(hours)).toBe(true)
    expect(await stored('utm_source')).toMatchObject({ others: 1 })
    expect(await stored('device')).toMatchObject({ others: 0 })
    expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
  }
  const sums = await readSources('utm_source')
  await closeDays(database.db, account.id, { at: tomorrow() }, { retentionDays: RETENTION_DAYS })
  expect(await readSources('utm_source')).toEqual(sums)
  expect(await stored('utm_source')).toMatchObject({ values: 200 + 1, others: 1 })
  await rollUpMarked()
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])

  await dropThem()
  await reopen()
})

it('clicks that may be gone are not counted again when the day is closed', async () => {
  const { database, account } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  await clickFrom(1000, 230, 9)
  expect(await advance(4)).toBe(true)
  const before = await stored('utm_source')
  expect(before).toMatchObject({ others: 1 })
  await dropThem()
  await closeDays(database.db, account.id, { at: tomorrow() }, { retentionDays: 1 })
  expect(await stored('utm_source')).toEqual(before)
  await reopen()
})

it('is counted whole although a lead’s click is gone, when its day is closed and when all days are computed again', async () => {
  const { database, account } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  await clickFrom(1000, 230, 9)
  expect(await advance(4)).toBe(true)
  expect(await stored('utm_source')).toMatchObject({ others: 1 })
  await clickFrom(1000, 10, 2)
  await database.owner.query(
    'INSERT INTO tracked_leads (account_id, email_hash, click_id, created_at) VALUES ($1, $2, $3, $4)',
    [account.id, Buffer.alloc(32), 987_654_321, hoursAgo(3)],
  )
  const clicks = async () => {
    const { rows } = await database.owner.query(
      `SELECT (SELECT count(*) FROM clicks WHERE NOT is_bot AND created_at >= day_start($1, $2))::integer AS raw,
              (SELECT sum(clicks) FROM insight_visits WHERE day = $1)::integer AS stored`,
      [day, lateZone],
    )
    return rows[0]
  }
  await closeDays(database.db, account.id, { at: tomorrow() }, { retentionDays: RETENTION_DAYS })
  expect((await stored('utm_source')).clicks).toBe((await stored('device')).clicks)
  const { raw, stored: whole } = await clicks()
  expect(whole).toBe(raw)

  await reopen()
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  expect(await advance(4)).toBe(true)
  expect((await clicks()).stored).toBeLessThan(raw)
  await closeDays(database.db, account.id, { at: tomorrow() }, { retentionDays: RETENTION_DAYS, again: true })
  await rollUpMarked()
  expect((await clicks()).stored).toBe(raw)

  await database.owner.query('DELETE FROM tracked_leads WHERE click_id = 987654321')
  await dropThem()
  await reopen()
})

it('doctor finds nothing wrong in a day that is closed while it looks', async () => {
  const { database, account, place } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  await buildReferral(database, place, { occurred_at: hoursAgo(0.5) })
  expect(await advance(4)).toBe(true)
  let closed = 0
  const db = new Proxy(database.db, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'many') return typeof value === 'function' ? value.bind(target) : value
      return async (statement: Sql) => {
        const rows = await database.db.many(statement)
        if (statement.text.includes('s.open_until AS ends')) {
          closed++
          await closeDays(target, account.id, { at: tomorrow() }, { retentionDays: RETENTION_DAYS })
        }
        return rows
      }
    },
  })
  expect(await findWrongDays(db, RETENTION_DAYS)).toEqual([])
  expect(closed).toBe(1)
  await reopen()
})

it('stays when a referral changes that did nothing on the day', async () => {
  const { database, account, place } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  expect(await advance(1)).toBe(true)
  const referral = await buildReferral(database, place, { occurred_at: hoursAgo(80) })
  await reviewReferral(database.db, account.id, referral, 'rejected')
  await rollUpMarked()
  expect(await state()).toMatchObject({ open_has_changed: false })
  await expectRight('with an earlier referral rejected')
  for (const at of [3, 80]) {
    await buildCommission(database, place, {
      referral_id: await buildReferral(database, place, { occurred_at: hoursAgo(80) }),
      created_at: hoursAgo(at),
    })
  }
  await rollUpMarked()
  expect(await state()).toMatchObject({ open_has_changed: true })
  await expectRight('with a commission of an earlier referral')
})

it('is not read when another version has closed days or taken marks', async () => {
  const { database, account, place } = scene
  // As the version before closes days: it knows nothing of the part.
  await database.owner.query(
    'UPDATE insight_accounts SET closed_until = closed_until WHERE account_id = $1',
    [account.id],
  )
  expect(await state()).toMatchObject({ open_until: null })
  await expectRight('closed by another version')
  expect(await advance(2)).toBe(true)
  await buildCommission(database, place, { created_at: hoursAgo(6) })
  await database.owner.query('DELETE FROM insight_marks')
  await expectRight('taken by another version')
})

it('is rolled up for busy accounts only, again once there is a fifth more of it, or enough for a step', async () => {
  const { database, place } = scene
  await buildCommission(database, place, { created_at: `${dayBefore}T12:00:00Z` })
  await rollUpMarked()
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  await rollUpOpenDays(database.db)
  expect(await state()).toMatchObject({ open_until: null })
  const rolledUp = async () => {
    await rollUpOpenDays(database.db, { stepFacts: 0 })
    return (await state()).open_until?.getTime() ?? 0
  }
  // Another test's transaction may be open for a while: the server is shared.
  await expect.poll(rolledUp).toBeGreaterThan(Date.now() - 1.1 * HOUR_MS)
  const first = await rolledUp()
  expect(await rolledUp()).toBe(first)
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  expect(await advance(1)).toBe(true)
  const anHourBefore = (await state()).open_until.getTime()
  expect(await rolledUp()).toBe(anHourBefore)
  // What has changed is read from the rows, and doesn't wait for that.
  await database.owner.query('UPDATE insight_accounts SET open_has_changed = true')
  await expect.poll(rolledUp).toBeGreaterThan(anHourBefore)
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  expect(await advance(4)).toBe(true)
  // Four hours more are not enough for a step of six.
  const { rows } = await database.owner.query(
    `SELECT sum(facts)::integer AS facts
       FROM (SELECT day, clicks AS facts FROM insight_visit_days
             UNION ALL SELECT day, conversions + sales + commissions FROM insight_earning_days) u
      WHERE day <= $1 GROUP BY day ORDER BY 1 DESC LIMIT 1`,
    [dayBefore],
  )
  await rollUpOpenDays(database.db, { stepFacts: rows[0].facts / 4 })
  expect((await state()).open_until.getTime()).toBeLessThan(anHourBefore)
  await expect.poll(rolledUp).toBeGreaterThan(anHourBefore)
  await expectRight('by the background work')
})

it.each(['added to', 'changed'])('is counted as a whole when its day is closed, %s before', async before => {
  const { database, account, place } = scene
  await database.owner.query('UPDATE insight_accounts SET open_until = NULL')
  expect(await advance(4)).toBe(true)
  if (before === 'changed') {
    await buildCommission(database, place, { created_at: hoursAgo(6) })
    await rollUpMarked()
  }
  await closeDays(database.db, account.id, { at: tomorrow() }, { retentionDays: RETENTION_DAYS })
  expect(await state()).toMatchObject({ open_until: null, closed_until: day })
  await expectRight('closed')
  // Its marks may not be computed: a lead's click may be gone, and then its visits stay what they are.
  const { rows } = await database.owner.query(
    'SELECT sum(clicks)::integer AS clicks FROM insight_visits WHERE day = $1',
    [day],
  )
  const { rows: counted } = await database.owner.query(
    'SELECT count(*)::integer AS clicks FROM clicks WHERE account_id = $1 AND NOT is_bot AND created_at >= day_start($2, $3)',
    [account.id, day, lateZone],
  )
  expect(rows[0].clicks).toBe(before === 'changed' ? null : counted[0].clicks)
  // Nothing is counted again that the part has.
  const { rowCount: marks } = await database.owner.query('SELECT 1 FROM insight_marks')
  expect(marks).toBe(before === 'changed' ? 1 : 0)
  await rollUpMarked()
  await expectRight('computed')
  expect(await storedFacts(database.owner, account.id)).toEqual(
    await rawFacts(database.owner, account.id, lateZone),
  )
  expect(await storedSourceFacts(database.owner, account.id)).toEqual(
    await rawSourceFacts(database.owner, account.id, lateZone),
  )
  const { rows: sources } = await database.owner.query(
    `SELECT count(*)::integer AS won, count(x.referral_id)::integer AS kept
       FROM conversions v JOIN referrals r ON r.id = v.referral_id LEFT JOIN referral_sources x ON x.referral_id = r.id
      WHERE r.occurred_at >= day_start($1, $2)
        AND jsonb_path_exists(v.attribution, '$.candidates[*] ? (@.outcome == "won" && @.click_id > 0)')`,
    [day, lateZone],
  )
  expect(sources[0].won).toBeGreaterThan(0)
  expect(sources[0].kept).toBe(sources[0].won)
  // It leaves the day closed while another test's transaction is open: the server is shared.
  await expect
    .poll(async () => {
      await rebuild(database.db, account.id, RETENTION_DAYS)
      return state()
    })
    .toMatchObject({ closed_until: dayBefore })
  await rollUp(database.db, RETENTION_DAYS)
  await expectRight('rebuilt')
})
