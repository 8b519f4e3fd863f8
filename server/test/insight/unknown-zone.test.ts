/**
 * Protects all accounts from one whose time zone this PostgreSQL doesn't have, as after a restore onto one with older zone data: their days
 * still close, their signals are still searched, and doctor names the zone and finishes.
 */
import { expect, it } from 'vitest'
import { rollUpOpenDays } from '../../src/insight/open-day.ts'
import { rollUp } from '../../src/insight/roll-up.ts'
import { findSignals } from '../../src/insight/signals/find-signals.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { checks } from '../../src/runtime/installation/checks.ts'
import { buildAccount, buildAffiliate, buildCampaign, buildReferral, type TestAccount } from '../factories.ts'
import { TEST_SECRET_KEY, useOwnScene } from '../harness.ts'
import { rollUpAll } from './roll-up-all.ts'

const ZONE = 'Mars/Olympus'
const RETENTION_DAYS = 400
const scene = useOwnScene()
let first: TestAccount

/** Both accounts have business that is rolled up until the day before the last one that is over; then the zone of the first is gone. */
async function prepare(): Promise<void> {
  const { database, account, place } = scene
  first = await buildAccount(database)
  const { id: campaign_id } = await buildCampaign(database, first.id)
  const { id: affiliate_id } = await buildAffiliate(database, first.id, campaign_id)
  const at = { occurred_at: new Date(Date.now() - 5 * 86_400_000).toISOString() }
  await buildReferral(database, place, at)
  await buildReferral(database, { account_id: first.id, campaign_id, affiliate_id }, at)
  for (const { id } of [first, account])
    await rollUpAll({ database, account: { ...account, id } }, RETENTION_DAYS)
  await database.owner.query('UPDATE insight_accounts SET closed_until = closed_until - 1, open_until = NULL')
  for (const change of [
    'UPDATE accounts SET time_zone = $1 WHERE id = $2',
    'UPDATE insight_accounts SET time_zone = $1 WHERE account_id = $2',
  ])
    await database.owner.query(change, [ZONE, first.id])
}

/** How many days ago the last closed one was. */
async function lastClosedAgo(): Promise<number> {
  const { rows } = await scene.database.owner.query(
    `SELECT ((now() - interval '1 hour') AT TIME ZONE 'UTC')::date - closed_until AS days FROM insight_accounts WHERE account_id = $1`,
    [scene.account.id],
  )
  return rows[0].days
}

it('the open days and the signals of others are computed', async () => {
  await prepare()
  await rollUpOpenDays(scene.database.db, { stepFacts: 0 })
  await findSignals(scene.database.db, [])
  const { rows } = await scene.database.owner.query('SELECT account_id::integer AS id FROM signal_checks')
  expect(rows).toEqual([{ id: scene.account.id }])
})

it('the days of others are closed, and the failure is reported', async () => {
  await expect
    .poll(async () => {
      await expect(rollUp(scene.database.db, RETENTION_DAYS)).rejects.toThrow('Failed to roll up 1 accounts.')
      return lastClosedAgo()
    })
    .toBe(1)
})

it('doctor names the zone and finishes its other checks', async () => {
  const settings = { TRIBUTARY_CLICK_RETENTION_DAYS: RETENTION_DAYS, TRIBUTARY_GEO_DATABASE: undefined }
  const found: Record<string, string[]> = {}
  for (const [name, check] of Object.entries(checks))
    found[name] = await check(scene.database.db, new SecretBox(TEST_SECRET_KEY), settings)
  expect(found).toMatchObject({
    'time zones': [expect.stringContaining(`account ${first.id} has the time zone ${ZONE}`)],
    'a rolled up day counts its rows': [],
  })
})
