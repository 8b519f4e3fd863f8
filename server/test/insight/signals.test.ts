/**
 * Protects the fraud signals: they follow the facts, one row per affiliate, kind and campaign, whatever the number of processes; a person's
 * decision stays until the evidence has doubled; and they never change money.
 */
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { listClicks } from '../../src/dashboard/traffic/click-list.store.ts'
import type { Db } from '../../src/db/database.ts'
import { decideSignal } from '../../src/insight/signals/decide-signal.ts'
import { findSignals, findSignalsOf } from '../../src/insight/signals/find-signals.ts'
import { MOST_FOUND } from '../../src/insight/signals/traffic-facts.store.ts'
import { updateAffiliate } from '../../src/programme/affiliates/update-affiliate.ts'
import { updateCampaign } from '../../src/programme/campaigns/update-campaign.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { follow } from '../tracking/scene.ts'
import { rollUpAll } from './roll-up-all.ts'

const scene = useOwnScene()
let accountId: number
let campaignId: number
const hash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16)

beforeEach(async () => {
  accountId = (await buildAccount(scene.database)).id
  campaignId = (await buildCampaign(scene.database, accountId)).id
})

async function affiliate(overrides: Parameters<typeof buildAffiliate>[3] = {}, joinedDaysAgo = 60) {
  const { id } = await buildAffiliate(scene.database, accountId, campaignId, overrides)
  await updateAffiliate(scene.database.db, accountId, id, { status: 'approved' })
  await scene.database.owner.query(
    `UPDATE affiliates SET created_at = now() - make_interval(days => $3) WHERE account_id = $1 AND id = $2`,
    [accountId, id, joinedDaysAgo],
  )
  return id
}

/** Many affiliates at once. */
async function affiliates(number: number, domain = 'example.com'): Promise<number[]> {
  const { rows } = await scene.database.owner.query(
    `INSERT INTO affiliates (account_id, email, email_key, status, kind, token, created_at)
     SELECT $1, e.email, e.email, 'approved', 'affiliate', 'many-' || e.n, now() - interval '60 days'
       FROM (SELECT n, 'many' || n || '@' || $2 AS email FROM generate_series(1, $3::integer) n) e RETURNING id::integer`,
    [accountId, domain, number],
  )
  return rows.map(({ id }) => id)
}

interface Clicks {
  daysAgo?: number
  visitors?: number
  landingUrl?: string
  campaign?: number
}

/** Clicks of different visitors, at noon of a day. */
async function click(
  affiliateId: number,
  number: number,
  {
    daysAgo = 1,
    visitors = number,
    landingUrl = 'https://shop.example/',
    campaign = campaignId,
  }: Clicks = {},
) {
  await scene.database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, address_hash, is_bot, user_agent, landing_url, created_at)
     SELECT $1, $2, $3, sha256(convert_to((n % $4::integer)::text, 'UTF8')), false, 'Mozilla/5.0', $5,
            date_trunc('day', now()) - make_interval(days => $6::integer, hours => -12)
       FROM generate_series(1, $7::integer) n`,
    [accountId, campaign, affiliateId, visitors, landingUrl, daysAgo, number],
  )
}

/** Conversions of a click each, so many seconds after it, two hours ago or earlier. */
async function convert(
  affiliateId: number,
  number: number,
  { seconds = 3600, referrer = null as string | null, clickedDaysAgo = 0 } = {},
) {
  for (let each = 0; each < number; each++) {
    const { rows } = await scene.database.owner.query(
      `WITH k AS (
         INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, referrer, created_at)
         VALUES ($1, $2, $3, false, $4, now() - make_interval(days => $7, hours => 2)) RETURNING id, created_at
       ), r AS (
         INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
         SELECT $1, $2, $3, $5, 'approved', k.created_at + make_interval(days => $7, secs => $6) FROM k RETURNING id, occurred_at
       )
       INSERT INTO conversions (account_id, campaign_id, customer_ref, referral_id, occurred_at, attribution)
       SELECT $1, $2, $5, r.id, r.occurred_at,
              jsonb_build_object('candidates', jsonb_build_array(jsonb_build_object('outcome', 'won', 'click_id', k.id)))
         FROM r, k RETURNING id`,
      [accountId, campaignId, affiliateId, referrer, unique('customer'), seconds, clickedDaysAgo],
    )
    expect(rows).toHaveLength(1)
  }
}

const clickIds = async (account: number): Promise<number[]> => {
  const { rows } = await scene.database.owner.query(
    'SELECT id::integer FROM clicks WHERE account_id = $1 AND landing_url IS NOT NULL',
    [account],
  )
  return rows.map(({ id }) => id)
}

const signIn = (affiliateId: number, from: string, network?: string) =>
  scene.database.owner.query(
    `INSERT INTO affiliate_addresses (account_id, affiliate_id, address_hash, network_hash) VALUES ($1, $2, $3, $4)`,
    [accountId, affiliateId, hash(from), network === undefined ? null : hash(network)],
  )

const rollUp = () =>
  rollUpAll({ database: scene.database, account: { ...scene.account, id: accountId } }, 400)

const find = (moreDomains: string[] = []) => findSignalsOf(scene.database.db, accountId, { moreDomains })

async function signals() {
  const { rows } = await scene.database.owner.query(
    `SELECT id::integer, affiliate_id::integer, kind, status, decision, score, weight, evidence, campaign_id::integer
       FROM signals WHERE account_id = $1 ORDER BY affiliate_id, kind, campaign_id`,
    [accountId],
  )
  return rows
}
const kinds = async () => (await signals()).map(({ kind, status }) => `${kind} ${status}`)

describe('each kind', () => {
  it('a day of many clicks, read from the raw rows and from the roll-ups', async () => {
    const id = await affiliate()
    await affiliate()
    for (let daysAgo = 8; daysAgo < 20; daysAgo++) await click(id, 21, { daysAgo })
    await click(id, 600, { visitors: 30 })
    await find()
    const found = await signals()
    expect(found).toMatchObject([{ affiliate_id: id, kind: 'click_velocity', status: 'open', weight: 600 }])
    expect(found[0].evidence.parts).toMatchObject([
      { fact: 'clicks_in_day', value: 600, usual: 12 },
      { fact: 'few_visitors', value: 30, of: 600 },
    ])
    await rollUp()
    await find()
    expect(await signals()).toEqual(found)
  })

  it('clicks are compared with the days since the affiliate joined', async () => {
    const id = await affiliate({}, 16)
    for (let daysAgo = 7; daysAgo < 16; daysAgo++) await click(id, 100, { daysAgo })
    await click(id, 400)
    await find()
    expect(await signals()).toEqual([])
    await click(id, 200)
    await find()
    expect((await signals())[0].evidence.parts).toMatchObject([{ fact: 'clicks_in_day', value: 600 }])
  })

  it('a new affiliate is reported for clicks of few visitors only', async () => {
    const [honest, odd] = [await affiliate({}, 9), await affiliate({}, 9)]
    await click(honest, 600)
    await click(odd, 600, { visitors: 10 })
    await find()
    expect(await signals()).toMatchObject([{ affiliate_id: odd, kind: 'click_velocity' }])
    expect((await signals())[0].evidence.parts).toMatchObject([{ usual: null }, { fact: 'few_visitors' }])
  })

  it('many busy affiliates do not hide the one that is out of line', async () => {
    const [odd] = await affiliates(MOST_FOUND + 1)
    await rollUp()
    await scene.database.owner.query(
      `INSERT INTO insight_visits (account_id, day, campaign_id, affiliate_id, clicks, unique_clicks, leads)
       SELECT $1::bigint, (now() AT TIME ZONE 'UTC')::date - d.ago, $2::bigint, a.id, 1000, 1000, 0
         FROM affiliates a, generate_series(3, 20) AS d (ago) WHERE a.account_id = $1 AND a.id <> $3::bigint
       UNION ALL
       SELECT $1::bigint, (now() AT TIME ZONE 'UTC')::date - 3, $2::bigint, $3::bigint, 300, 300, 0`,
      [accountId, campaignId, odd],
    )
    await find()
    expect(await signals()).toMatchObject([{ affiliate_id: odd, kind: 'click_velocity' }])
  })

  it('a conversion rate out of line, and instant sales', async () => {
    const odd = await affiliate()
    const usual = await affiliate()
    await click(odd, 10)
    for (let daysAgo = 1; daysAgo < 7; daysAgo++) await click(usual, 150, { daysAgo })
    await convert(odd, 20, { seconds: 3 })
    await convert(usual, 20, { seconds: 3, referrer: 'https://blog.example/' })
    await find()
    expect(await signals()).toMatchObject([
      { affiliate_id: odd, kind: 'conversion_rate', campaign_id: campaignId, weight: 20 },
      { affiliate_id: odd, kind: 'instant_sales', campaign_id: campaignId, weight: 20 },
    ])
  })

  it('repeated clicks neither hide a conversion rate nor make one', async () => {
    const [odd, honest, usual] = [await affiliate(), await affiliate(), await affiliate()]
    await click(odd, 2000, { visitors: 20 })
    for (let daysAgo = 1; daysAgo < 7; daysAgo++) await click(usual, 150, { daysAgo })
    await click(honest, 600, { daysAgo: 2 })
    await convert(honest, 15)
    await convert(usual, 20)
    await convert(odd, 20)
    // Ten times the clicks of the usual one.
    await click(usual, 9000, { daysAgo: 2, visitors: 10 })
    await find()
    const rates = (await signals()).filter(({ kind }) => kind === 'conversion_rate')
    expect(rates.map(({ affiliate_id }) => affiliate_id)).toEqual([odd])
  })

  it('clicks of another affiliate say nothing of the one who is credited now', async () => {
    const [odd, honest, usual] = [await affiliate(), await affiliate(), await affiliate()]
    await click(honest, 10)
    for (let daysAgo = 1; daysAgo < 7; daysAgo++) await click(usual, 150, { daysAgo })
    await convert(odd, 20, { seconds: 3 })
    await convert(usual, 20)
    await scene.database.owner.query('UPDATE referrals SET affiliate_id = $1 WHERE affiliate_id = $2', [
      honest,
      odd,
    ])
    await find()
    expect(await signals()).toEqual([])
  })

  it('sales of earlier clicks are no part of the rate', async () => {
    const [newsletter, usual] = [await affiliate(), await affiliate()]
    await click(newsletter, 10)
    for (let daysAgo = 1; daysAgo < 7; daysAgo++) await click(usual, 150, { daysAgo })
    await convert(newsletter, 20, { clickedDaysAgo: 35 })
    await convert(usual, 20)
    await find()
    expect(await signals()).toEqual([])
  })

  it('instant sales are no signal where all affiliates have them', async () => {
    const [one, another] = [await affiliate(), await affiliate()]
    await convert(one, 20, { seconds: 3 })
    await convert(another, 20, { seconds: 3 })
    await find()
    expect(await signals()).toEqual([])
  })

  it('accounts behind one network or payout address, which rejected ones are not counted in', async () => {
    const three = [await affiliate(), await affiliate(), await affiliate()]
    const [first, second, third] = three as [number, number, number]
    for (const id of three) await signIn(id, 'one place')
    await signIn(first, 'another place')
    await updateAffiliate(scene.database.db, accountId, first, { paypal_email: 'Money@example.com' })
    await updateAffiliate(scene.database.db, accountId, second, { paypal_email: 'money@example.com' })
    await find()
    expect(await signals()).toMatchObject([
      { affiliate_id: first, kind: 'shared_network', evidence: { affiliates: [second, third] } },
      { affiliate_id: first, kind: 'shared_payout_address', evidence: { affiliates: [second] } },
      { affiliate_id: second, kind: 'shared_network' },
      { affiliate_id: second, kind: 'shared_payout_address' },
      { affiliate_id: third, kind: 'shared_network', evidence: { affiliates: [first, second] } },
    ])
    await updateAffiliate(scene.database.db, accountId, second, { status: 'rejected' })
    await find()
    expect((await signals()).map(({ status }) => status)).toEqual(Array(5).fill('closed'))
  })

  it('many accounts behind one network are no fewer', async () => {
    const ids = await affiliates(50)
    for (const id of ids) await signIn(id, 'one place')
    await find()
    expect(await kinds()).toEqual(ids.map(() => 'shared_network open'))
    await signIn(await affiliate(), 'one place')
    await find()
    expect(await kinds()).toEqual([...ids, 51].map(() => 'shared_network open'))
  })

  it('addresses of one network, each counted once', async () => {
    const three = [await affiliate(), await affiliate(), await affiliate()]
    for (const [index, id] of three.entries()) await signIn(id, `address ${index}`, 'one line')
    const [first, second] = three as [number, number]
    for (const id of [first, second])
      for (let each = 0; each < 5; each++) await signIn(id, `address ${id} ${each}`, 'another line')
    await find()
    expect(await signals()).toMatchObject(
      three.map(id => ({ affiliate_id: id, kind: 'shared_network', weight: 3 })),
    )
  })

  it('disposable email addresses, of the list and of the operator', async () => {
    await affiliate({ email: `${unique('a')}@a.b.Mailinator.com` })
    await affiliate({ email: `${unique('b')}@eu.trash.example` })
    await affiliate()
    await find()
    expect(await signals()).toMatchObject([{ kind: 'disposable_email', score: 50 }])
    await find(['trash.example'])
    expect(await kinds()).toEqual(['disposable_email open', 'disposable_email open'])
  })

  it('paid search, in a campaign that forbids it', async () => {
    const id = await affiliate()
    await click(id, 30, { landingUrl: 'https://shop.example/' })
    await click(id, 10, { landingUrl: 'https://shop.example/?gclid=abc' })
    await click(id, 5, { landingUrl: 'https://shop.example/?a=b&utm_medium=cpc' })
    await find()
    expect(await signals()).toEqual([])
    await updateCampaign(scene.database.db, accountId, campaignId, { forbids_paid_search: true })
    await find()
    expect(await signals()).toMatchObject([{ affiliate_id: id, kind: 'paid_search', weight: 15 }])
    expect((await signals())[0].evidence.parts[0]).toMatchObject({ value: 15, of: 45, text: 'gclid' })
  })

  it('paid search by ads that lead to the affiliate’s link', async () => {
    const { account, place, app, database } = scene
    accountId = account.id
    const change = { forbids_paid_search: true, destination_url: 'https://shop.example/' }
    await updateCampaign(database.db, accountId, place.campaign_id, change)
    const { token } = await buildAffiliate(database, accountId, place.campaign_id)
    for (let ad = 0; ad < 5; ad++) await follow({ app }, `/r/${account.slug}/${token}?gclid=ad${ad}`)
    await find()
    expect(await signals()).toMatchObject([{ kind: 'paid_search', weight: 5 }])
    await follow({ app }, `/r/${account.slug}/${token}?utm_medium=email`)
    const clicks = await listClicks(database.db, accountId, {}, await clickIds(accountId))
    expect(clicks.map(({ ad }) => ad)).toEqual([null, ...Array(5).fill('gclid')])
  })

  it('paid search weighs all clicks of the week, and a few forged ones are none', async () => {
    await updateCampaign(scene.database.db, accountId, campaignId, { forbids_paid_search: true })
    const [odd, framed] = [await affiliate(), await affiliate()]
    for (let daysAgo = 1; daysAgo < 6; daysAgo++)
      await click(odd, 100, { daysAgo, landingUrl: 'https://shop.example/?gclid=abc' })
    await click(framed, 100, { daysAgo: 2 })
    await click(framed, 3, { landingUrl: 'https://shop.example/?gclid=abc' })
    await find()
    expect(await signals()).toMatchObject([{ affiliate_id: odd, kind: 'paid_search', weight: 500 }])
  })
})

describe('over time', () => {
  const decide = async () => {
    const [signal] = await signals()
    return decideSignal(scene.database.db, accountId, signal.id, { decision: 'dismiss', reason: 'A launch' })
  }

  it('opens, updates and closes with the facts, and opens again', async () => {
    const id = await affiliate()
    await click(id, 300)
    await find()
    await click(id, 100)
    await find()
    expect(await signals()).toMatchObject([{ status: 'open', weight: 400 }])
    await scene.database.owner.query('DELETE FROM clicks WHERE account_id = $1', [accountId])
    await find()
    expect(await kinds()).toEqual(['click_velocity closed'])
    await click(id, 300)
    await find()
    expect(await signals()).toMatchObject([{ status: 'open', weight: 300 }])
  })

  it('a decision stays until the evidence has doubled', async () => {
    const id = await affiliate()
    await click(id, 300)
    await find()
    await decide()
    await click(id, 299)
    await find()
    expect(await signals()).toMatchObject([{ status: 'decided', decision: 'dismiss', weight: 300 }])
    await click(id, 1)
    await find()
    expect(await signals()).toMatchObject([{ status: 'open', decision: null, weight: 600 }])
  })

  it('a decision about one campaign does not cover another', async () => {
    const { id: other } = await buildCampaign(scene.database, accountId)
    for (const each of [campaignId, other])
      await updateCampaign(scene.database.db, accountId, each, { forbids_paid_search: true })
    const id = await affiliate()
    const ads = { landingUrl: 'https://shop.example/?gclid=abc' }
    const found = async () => (await signals()).map(each => [each.campaign_id, each.status, each.weight])
    await click(id, 10, ads)
    await find()
    await decide()
    await click(id, 9, { ...ads, campaign: other })
    await find()
    expect(await found()).toEqual([
      [campaignId, 'decided', 10],
      [other, 'open', 9],
    ])
    // Nor does one about the other end it.
    const [, open] = await signals()
    await decideSignal(scene.database.db, accountId, open.id, { decision: 'dismiss' })
    await click(id, 5, ads)
    await find()
    expect(await found()).toEqual([
      [campaignId, 'decided', 10],
      [other, 'decided', 9],
    ])
    await click(id, 5, ads)
    await find()
    expect(await found()).toEqual([
      [campaignId, 'open', 20],
      [other, 'decided', 9],
    ])
  })

  it('a process of the version before stores a signal of a campaign once', async () => {
    const id = await affiliate()
    for (const campaign of [campaignId, null])
      for (let each = 0; each < 2; each++)
        await scene.database.owner.query(
          `INSERT INTO signals (account_id, affiliate_id, kind, campaign_id, score, evidence, weight)
           VALUES ($1, $2, 'paid_search', $3, 50, '{"parts": [], "affiliates": []}', 5)
           ON CONFLICT ON CONSTRAINT signals_one_per_kind DO UPDATE SET campaign_id = excluded.campaign_id`,
          [accountId, id, campaign],
        )
    expect(await kinds()).toEqual(['paid_search open', 'paid_search open'])
  })

  it('a decision ends when the facts have not held for four weeks, and the same again is a new signal', async () => {
    const id = await affiliate({ email: `${unique('a')}@mailinator.com` })
    const later = (days: number) =>
      scene.database.owner.query(
        `UPDATE signals SET updated_at = updated_at - make_interval(days => $2), decided_at = decided_at - make_interval(days => $2)
          WHERE account_id = $1`,
        [accountId, days],
      )
    const setEmail = (email: string) => updateAffiliate(scene.database.db, accountId, id, { email })
    await find()
    await decide()
    for (let day = 0; day < 2; day++) {
      await later(27)
      await find()
    }
    await setEmail(`${unique('a')}@example.com`)
    await later(27)
    await find()
    expect(await kinds()).toEqual(['disposable_email decided'])
    await later(2)
    await find()
    expect(await signals()).toMatchObject([{ status: 'closed', decision: null }])
    await setEmail(`${unique('a')}@mailinator.com`)
    await find()
    expect(await kinds()).toEqual(['disposable_email open'])
  })

  it('a signal that a limit leaves out stays open', async () => {
    const first = await affiliate({ email: `${unique('a')}@mailinator.com` })
    await find()
    await affiliates(MOST_FOUND, 'mailinator.com')
    await find()
    const found = await signals()
    expect(found.filter(({ status }) => status === 'open')).toHaveLength(MOST_FOUND + 1)
    expect(found[0]).toMatchObject({ affiliate_id: first, status: 'open' })
    await updateAffiliate(scene.database.db, accountId, first, { status: 'rejected' })
    await find()
    expect((await signals())[0]).toMatchObject({ affiliate_id: first, status: 'closed' })
  })

  it('what has been decided leaves nothing else out', async () => {
    const first = await affiliate({ email: `${unique('a')}@mailinator.com` })
    await affiliates(MOST_FOUND, 'mailinator.com')
    await find()
    expect((await signals()).map(({ affiliate_id }) => affiliate_id)).not.toContain(first)
    await scene.database.owner.query(
      `UPDATE signals SET status = 'decided', decision = 'dismiss', decided_weight = weight, decided_at = now() WHERE account_id = $1`,
      [accountId],
    )
    await find()
    expect((await signals()).filter(({ status }) => status === 'open')).toMatchObject([
      { affiliate_id: first },
    ])
  })

  it('a decision made while a search ends is not undone by it', async () => {
    const id = await affiliate()
    await click(id, 300)
    await find()
    const [signal] = await signals()
    await whileHeld(
      scene.database,
      tx => decideSignal(tx, accountId, signal.id, { decision: 'dismiss' }),
      find,
    )
    expect(await kinds()).toEqual(['click_velocity decided'])
  })

  it.each([
    ['that was never searched', false],
    ['that was searched before', true],
  ])('of two processes, one searches an account %s', async (_, wasSearched) => {
    if (wasSearched) await find()
    await scene.database.owner.query(`UPDATE signal_checks SET checked_at = 'epoch' WHERE account_id = $1`, [
      accountId,
    ])
    await click(await affiliate(), 300)
    const search = (db: Db) => findSignalsOf(db, accountId, { minutes: 15 })
    const other = await whileHeld(scene.database, search, () => search(scene.database.db))
    expect(other).toBe(false)
    expect(await kinds()).toEqual(['click_velocity open'])
  })

  it('ten at once store each signal once', async () => {
    for (let each = 0; each < 5; each++) await click(await affiliate(), 300)
    await rollUp()
    await Promise.all(Array.from({ length: 10 }, () => findSignals(scene.database.db, [], 60_000)))
    expect(await kinds()).toEqual(Array(5).fill('click_velocity open'))
  })

  it('an account is left alone for a while after a search', async () => {
    const id = await affiliate()
    await rollUp()
    await findSignals(scene.database.db, [], 60_000)
    await click(id, 300, { daysAgo: 0 })
    await findSignals(scene.database.db, [], 60_000)
    expect(await kinds()).toEqual([])
    await scene.database.owner.query(`UPDATE signal_checks SET checked_at = now() - interval '16 minutes'`)
    await findSignals(scene.database.db, [], 60_000)
    expect(await kinds()).toEqual(['click_velocity open'])
  })

  it('an account whose days are not rolled up is left until they are', async () => {
    await click(await affiliate(), 300)
    await findSignals(scene.database.db, [], 60_000)
    expect(await kinds()).toEqual([])
    await rollUp()
    await findSignals(scene.database.db, [], 60_000)
    expect(await kinds()).toEqual(['click_velocity open'])
  })

  it('an account that fails is not tried again at once', async () => {
    await click(await affiliate(), 300)
    await rollUp()
    const { db } = scene.database
    const failing: Db = {
      many: statement => db.many(statement),
      first: statement => db.first(statement),
      transaction: () => Promise.reject(new Error('No connection')),
    }
    await expect(findSignals(failing, [], 60_000)).rejects.toThrow('Failed to find the signals')
    await findSignals(db, [], 60_000)
    expect(await kinds()).toEqual([])
  })
})
