/** What the first page shows: figures of the period and of the one before, what waits, and the first steps of a new account. */
import { attentionLists, type Overview, type Waiting } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { pastMidnight } from '../../../testing/past-midnight.ts'
import { closeDays, rollUpDay } from '../../src/insight/roll-up.ts'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildCommission,
  buildPayout,
  buildReferral,
  type Place,
  unique,
} from '../factories.ts'
import { useScene } from '../harness.ts'
import { Person } from './person.ts'

await pastMidnight()

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const inDays = (days: number) => daysAgo(-days)

const scene = useScene()
let viewer: Person
beforeAll(async () => {
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
})

const run = (statement: string, values: unknown[] = []) => scene.database.owner.query(statement, values)

const click = (place: Place, at: string, isBot = false) =>
  run(
    'INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at) VALUES ($1, $2, $3, $4, $5)',
    [place.account_id, place.campaign_id, place.affiliate_id, isBot, at],
  )

const sale = (place: Place, referralId: number | null, at: string, amountMinor: number, currency = 'USD') =>
  run(
    `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
     VALUES ($1, $2, $2, $3, $4, $5, $6)`,
    [place.account_id, unique('sale'), referralId, amountMinor, currency, at],
  )

async function overview(query: Record<string, unknown> = {}, person = viewer): Promise<Overview> {
  const { status, body } = await person.call('getOverview', { query })
  expect(status).toBe(200)
  return body
}

const unattributed = {
  affiliate_id: null,
  reason: 'No evidence.',
  model: 'last_click',
  window_days: 30,
  review: [],
  candidates: [],
}

/** A separate account, so that one test does not count the rows of another. */
async function ownPlace(): Promise<{ place: Place; person: Person }> {
  const account = await buildAccount(scene.database)
  const campaign = await buildCampaign(scene.database, account.id)
  const affiliate = await buildAffiliate(scene.database, account.id, campaign.id, { name: 'First' })
  const place = { account_id: account.id, campaign_id: campaign.id, affiliate_id: affiliate.id }
  return { place, person: await Person.join(scene.app, account.id, 'viewer') }
}

describe('figures', () => {
  let place: Place
  let other: Place
  let person: Person
  beforeAll(async () => {
    ;({ place, person } = await ownPlace())
    const { database } = scene
    const campaign = await buildCampaign(database, place.account_id, { name: 'A second one' })
    const affiliate = await buildAffiliate(database, place.account_id, campaign.id, { name: 'Second' })
    other = { ...place, campaign_id: campaign.id, affiliate_id: affiliate.id }
    for (const at of [1, 1, 2]) await click(place, daysAgo(at))
    await click(other, daysAgo(3))
    await click(place, daysAgo(1), true)
    await click(place, daysAgo(9))
    await click(place, daysAgo(40))
    const first = await buildReferral(database, place, { occurred_at: daysAgo(1) })
    const second = await buildReferral(database, other, { occurred_at: daysAgo(3) })
    const before = await buildReferral(database, place, { occurred_at: daysAgo(9) })
    const test = await buildReferral(database, place, { occurred_at: daysAgo(1), is_test: true })
    const rejected = await buildReferral(database, place, { occurred_at: daysAgo(1), status: 'rejected' })
    await sale(place, first, daysAgo(1), 10_000)
    await sale(place, first, daysAgo(1), 3000)
    await sale(place, second, daysAgo(3), 500, 'EUR')
    await sale(place, before, daysAgo(9), 4000)
    for (const referral of [test, rejected, null]) await sale(place, referral, daysAgo(1), 99_999)
    const entry = (at: Place, referral: number, amount: number, created_at: string, more = {}) =>
      buildCommission(database, at, { referral_id: referral, amount_minor: amount, created_at, ...more })
    await entry(place, first, 2000, daysAgo(1))
    await entry(place, first, 600, daysAgo(1))
    await entry(other, second, 5000, daysAgo(3))
    await entry(place, before, 800, daysAgo(9))
    await entry(place, first, 77, daysAgo(1), { status: 'void' })
    await entry(place, first, 77, daysAgo(1), { entry_type: 'adjustment', status: 'approved' })
    await entry(place, first, 77, daysAgo(1), { beneficiary: 'referee' })
    await entry(place, test, 77, daysAgo(1))
    await entry(place, rejected, 77, daysAgo(1))
  })

  it('are of the period and of the one before, without robots, tests and what was rejected or voided', async () => {
    const found = await overview({ days: 7 }, person)
    expect(found).toMatchObject({
      step_days: 1,
      clicks: { now: 4, before: 1 },
      conversions: { now: 2, before: 1 },
      revenue: [
        { currency: 'USD', now: 13_000, before: 4000 },
        { currency: 'EUR', now: 500, before: 0 },
      ],
      commissions: [{ currency: 'USD', now: 7600, before: 800 }],
    })
  })

  it('by day add up to them, in the currencies that the charts show', async () => {
    const { series, from, to } = await overview({ days: 7 }, person)
    expect(series).toHaveLength(7)
    expect(series[0]?.from).toBe(from)
    expect(series.at(-1)?.from).toBe(`${to.slice(0, 10)}T00:00:00.000Z`)
    const day = (days: number) => series.find(step => step.from.slice(0, 10) === daysAgo(days).slice(0, 10))
    expect(day(1)).toMatchObject({
      clicks: 2,
      conversions: 1,
      revenue_minor: 13_000,
      commissions_minor: 2600,
    })
    expect(day(3)).toMatchObject({ clicks: 1, conversions: 1, revenue_minor: 0, commissions_minor: 5000 })
    expect(series.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(4)
  })

  it.each([
    [30, 30, 1],
    [90, 90, 1],
    [365, 52, 7],
  ])('of %i days come in %i steps of %i', async (days, steps, stepDays) => {
    const { series, step_days, clicks } = await overview({ days }, person)
    expect([series.length, step_days]).toEqual([steps, stepDays])
    expect(clicks).toEqual(days === 30 ? { now: 5, before: 1 } : { now: 6, before: 0 })
    expect(series.reduce((sum, step) => sum + step.clicks, 0)).toBe(clicks.now)
  })

  it('are of 30 days where nothing else is asked for', async () => {
    const { series, from } = await overview({}, person)
    expect(series).toHaveLength(30)
    expect(from).toBe((await overview({ days: 30 }, person)).from)
  })

  it('of one campaign are of it alone', async () => {
    expect(await overview({ days: 7, campaign_id: other.campaign_id }, person)).toMatchObject({
      clicks: { now: 1, before: 0 },
      conversions: { now: 1, before: 0 },
      revenue: [{ currency: 'EUR', now: 500, before: 0 }],
      commissions: [{ currency: 'USD', now: 5000, before: 0 }],
      top_affiliates: [{ id: other.affiliate_id, name: 'Second', sales: 1, commissions_minor: 5000 }],
    })
  })

  it('name those who earned the most', async () => {
    const { top_affiliates } = await overview({ days: 7 }, person)
    expect(top_affiliates).toEqual([
      expect.objectContaining({ id: other.affiliate_id, sales: 1, commissions_minor: 5000 }),
      expect.objectContaining({ id: place.affiliate_id, sales: 2, commissions_minor: 2600 }),
    ])
  })

  it('are the same once their days are rolled up', async () => {
    const queries = [{ days: 7 }, { days: 30 }, { days: 365 }, { days: 7, campaign_id: other.campaign_id }]
    const all = async () => {
      const found = []
      for (const query of queries) found.push({ ...(await overview(query, person)), to: null })
      return found
    }
    const before = await all()
    const { db } = scene.database
    await closeDays(db, place.account_id, { at: new Date().toISOString() }, { retentionDays: 10_000 })
    while (await rollUpDay(db, place.account_id, 10_000));
    expect(await all()).toEqual(before)
  })

  it('of another account are not found', async () => {
    expect((await overview({ days: 7 })).clicks).toEqual({ now: 0, before: 0 })
    expect((await viewer.call('getOverview', { query: { campaign_id: place.campaign_id } })).status).toBe(404)
    expect((await viewer.at(place.account_id).call('getOverview')).status).toBe(404)
  })
})

describe('what is refused', () => {
  it.each([{ days: 8 }, { days: 0 }, { days: 'all' }, { campaign_id: 0 }, { month: 1 }])(
    '%j',
    async query => {
      const { status, body } = await viewer.call('getOverview', { query })
      expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    },
  )

  it('everybody who is not signed in', async () => {
    const { status } = await viewer.call('getOverview', { headers: { cookie: '' } })
    expect(status).toBe(401)
  })

  it.each(['owner', 'admin', 'finance', 'viewer'] as const)('not %s', async role => {
    const person = await Person.join(scene.app, scene.account.id, role)
    await overview({}, person)
  })
})

describe('what waits', () => {
  const nothing: Waiting = {
    affiliates_to_approve: 0,
    referrals_to_review: 0,
    signals_to_review: 0,
    holds_ending: 0,
    failing_endpoints: 0,
    payouts_to_send: 0,
    payouts_in_progress: 0,
    payouts_partially_paid: 0,
    payouts_failed: 0,
    unattributed_conversions: 0,
  }

  it('is nothing when nothing does, and each thing once it does', async () => {
    const { place, person } = await ownPlace()
    const { database } = scene
    await run("UPDATE affiliates SET status = 'approved' WHERE account_id = $1", [place.account_id])
    expect((await overview({}, person)).waiting).toEqual(nothing)

    await buildAffiliate(database, place.account_id, place.campaign_id)
    await buildReferral(database, place, { status: 'pending_review' })
    await buildReferral(database, place, { status: 'pending_review', is_test: true })
    const test = await buildReferral(database, place, { is_test: true })
    for (const hold_until of [inDays(1), inDays(6), inDays(9), daysAgo(1)])
      await buildCommission(database, place, { hold_until })
    await buildCommission(database, place, { hold_until: inDays(1), referral_id: test })
    for (const [kind, status] of [
      ['shared_network', 'open'],
      ['click_velocity', 'closed'],
    ])
      await run(
        `INSERT INTO signals (account_id, affiliate_id, kind, score, evidence, weight, status)
         VALUES ($1, $2, $3, 40, '{"parts": [], "affiliates": []}', 3, $4)`,
        [place.account_id, place.affiliate_id, kind, status],
      )
    await buildPayout(database, place)
    await buildPayout(database, place, { status: 'processing' })
    await buildPayout(database, place, { status: 'paid' })
    for (const status of ['partially_paid', 'failed'] as const)
      for (const finished of [daysAgo(3), daysAgo(50)]) {
        const id = await buildPayout(database, place, { status })
        await run('UPDATE payouts SET finished_at = $2 WHERE id = $1', [id, finished])
      }
    for (const [failing, deleted] of [
      [daysAgo(1), null],
      [null, null],
      [daysAgo(1), daysAgo(1)],
    ])
      await run(
        `INSERT INTO webhook_endpoints (account_id, url, events, status, sealed_secret, failing_since, deleted_at)
         VALUES ($1, 'https://x.example', '{payout.paid}', 'active', $2, $3, $4)`,
        [place.account_id, deleted ? null : Buffer.from('x'), failing, deleted],
      )
    for (const at of [daysAgo(2), daysAgo(60)])
      await run(
        `INSERT INTO conversions (account_id, campaign_id, customer_ref, attribution, occurred_at) VALUES ($1, $2, $3, $5, $4)`,
        [place.account_id, place.campaign_id, unique('customer'), at, JSON.stringify(unattributed)],
      )
    expect((await overview({}, person)).waiting).toEqual({
      affiliates_to_approve: 1,
      referrals_to_review: 1,
      signals_to_review: 1,
      holds_ending: 2,
      failing_endpoints: 1,
      payouts_to_send: 1,
      payouts_in_progress: 1,
      payouts_partially_paid: 1,
      payouts_failed: 1,
      unattributed_conversions: 1,
    })
    expect((await overview()).waiting.payouts_to_send).toBe(0)

    const { waiting } = await overview({}, person)
    for (const [count, [route, query]] of Object.entries(attentionLists)) {
      const { status, body } = await person.call(route, { query })
      expect([count, status, body.data?.length]).toEqual([count, 200, waiting[count as keyof Waiting]])
    }
    expect(Object.keys(attentionLists).toSorted()).toEqual(Object.keys(waiting).toSorted())
  })
})

describe('first steps', () => {
  it('tick themselves off', async () => {
    const { database } = scene
    const { rows } = await run("INSERT INTO accounts (name, slug) VALUES ('New', $1) RETURNING id", [
      unique('new'),
    ])
    const account_id = Number(rows[0].id)
    const person = await Person.join(scene.app, account_id, 'owner')
    const steps = async () => (await overview({}, person)).first_steps
    const none = {
      campaign: false,
      affiliate: false,
      api_key: false,
      tracker: false,
      conversion: false,
      payout: false,
    }
    expect(await steps()).toEqual(none)
    expect(await overview({}, person)).toMatchObject({
      revenue: [],
      commissions: [],
      top_affiliates: [],
    })

    const campaign = await buildCampaign(database, account_id)
    const affiliate = await buildAffiliate(database, account_id, campaign.id)
    expect(await steps()).toEqual({ ...none, campaign: true, affiliate: true })

    expect((await person.call('createApiKey', { body: { name: 'Backend' } })).status).toBe(200)
    const place = { account_id, campaign_id: campaign.id, affiliate_id: affiliate.id }
    await click(place, daysAgo(0))
    expect(await steps()).toMatchObject({ api_key: true, tracker: false })

    await run("UPDATE clicks SET visitor_id = 'v' WHERE account_id = $1", [account_id])
    expect(await steps()).toMatchObject({ tracker: true, conversion: false })

    await run(
      `INSERT INTO conversions (account_id, campaign_id, customer_ref, attribution, occurred_at) VALUES ($1, $2, 'c', '{}', now())`,
      [account_id, campaign.id],
    )
    expect(await steps()).toMatchObject({ conversion: true, payout: false })
    await buildPayout(database, place)
    expect(new Set(Object.values(await steps()))).toEqual(new Set([true]))
  })
})
