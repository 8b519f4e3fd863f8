/** Protects the roll-ups from what comes late: upgrades beside the previous version, long transactions, and clicks that are gone. */
import { expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { rebuild, rollUp } from '../../src/insight/roll-up.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { DAY_MS } from '../../src/kit/timestamp.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { buildAccount, buildAffiliate, buildCampaign, buildReferral } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { rollUpAll } from './roll-up-all.ts'

const scene = useOwnScene()
const RETENTION_DAYS = 400
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const marks = async () =>
  (await scene.database.owner.query('SELECT 1 FROM insight_marks WHERE account_id = $1', [scene.account.id]))
    .rowCount

it('between the migrations and the grants, the service writes on', async () => {
  const { database, place, account } = scene
  const { user } = database.service
  const referral = await buildReferral(database, place, { occurred_at: daysAgo(3) })
  await database.owner.query('DELETE FROM insight_marks')
  await database.owner.query(`REVOKE ALL ON insight_marks FROM ${user}`)
  try {
    await reviewReferral(database.db, account.id, referral, 'rejected')
    expect(await marks()).toBe(1)
  } finally {
    await database.owner.query(`GRANT SELECT, INSERT, DELETE ON insight_marks TO ${user}`)
  }
})

it('while a transaction of another program is open, closed days are computed again, and none is closed', async () => {
  const { database, place } = scene
  await rollUpAll(scene, RETENTION_DAYS)
  const client = await database.owner.connect()
  try {
    await client.query('BEGIN; SELECT pg_current_xact_id()')
    const stranger = await buildAccount(database)
    await buildReferral(database, place, { occurred_at: daysAgo(4) })
    expect(await marks()).toBe(1)
    await expect
      .poll(async () => {
        await rollUp(database.db, RETENTION_DAYS)
        return marks()
      })
      .toBe(0)
    const state = async () =>
      (await database.owner.query('SELECT 1 FROM insight_accounts WHERE account_id = $1', [stranger.id]))
        .rowCount
    expect(await state()).toBe(0)
    await client.query('COMMIT')
    await rollUpAll({ ...scene, account: stranger }, RETENTION_DAYS)
  } finally {
    client.release()
  }
})

it('a run that is over its time goes on with the next account', async () => {
  const { database, account, place } = scene
  await rollUpAll(scene, RETENTION_DAYS)
  const other = await buildAccount(database)
  const campaign = await buildCampaign(database, other.id)
  const affiliate = await buildAffiliate(database, other.id, campaign.id)
  await rollUpAll({ ...scene, account: other }, RETENTION_DAYS)
  for (let days = 2; days < 40; days++) await buildReferral(database, place, { occurred_at: daysAgo(days) })
  const elsewhere = { account_id: other.id, campaign_id: campaign.id, affiliate_id: affiliate.id }
  await buildReferral(database, elsewhere, { occurred_at: daysAgo(3) })
  const markedAt = async (id: number) =>
    (await database.owner.query('SELECT 1 FROM insight_marks WHERE account_id = $1', [id])).rowCount as number
  // Without time, each run is one account's turn.
  let turns = 0
  for (; (await markedAt(other.id)) > 0 && turns < 4; turns++) await rollUp(database.db, RETENTION_DAYS, 0)
  expect([turns < 4, (await markedAt(account.id)) > 30]).toEqual([true, true])
})

it('in another time zone the first click of all may be on another day, and is counted there alone', async () => {
  const { database, account, place } = scene
  const day = daysAgo(15).slice(0, 10)
  await database.owner.query(
    'INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at) VALUES ($1, $2, $3, false, $4)',
    [account.id, place.campaign_id, place.affiliate_id, `${day}T20:00:00Z`],
  )
  const counted = async () =>
    (
      await database.owner.query(
        `SELECT (day - $2::date)::integer AS later, clicks FROM insight_visits WHERE account_id = $1
          UNION ALL
         SELECT (day - $2::date)::integer, clicks FROM insight_sources WHERE account_id = $1 AND dimension = 'device'`,
        [account.id, day],
      )
    ).rows
  await rebuild(database.db, account.id, RETENTION_DAYS)
  expect(await counted()).toEqual([0, 0].map(later => ({ later, clicks: 1 })))
  await updateAccount(database.db, account.id, { time_zone: 'Asia/Kathmandu' })
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await counted()).toEqual([1, 1].map(later => ({ later, clicks: 1 })))
})

it('days of a definition before are computed once more', async () => {
  const { database, account } = scene
  await rollUpAll(scene, RETENTION_DAYS)
  const links = async () =>
    (
      await database.owner.query(
        `SELECT sum(clicks)::integer AS clicks FROM insight_sources WHERE account_id = $1 AND dimension = 'link'`,
        [account.id],
      )
    ).rows[0].clicks
  const before = await links()
  expect(before).toBeGreaterThan(0)
  await database.owner.query(`DELETE FROM insight_sources WHERE dimension = 'link'`)
  await database.owner.query('UPDATE insight_accounts SET facts_version = 0')
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await links()).toBe(before)
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
})
