/**
 * Protects decisions about fraud signals: each has exactly its consequences, once, by those who may decide; and no signal changes money
 * without one.
 */
import { MOST_IN_REVIEW } from '@tributary/contract/dashboard'
import { beforeEach, describe, expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { decideSignal } from '../../src/insight/signals/decide-signal.ts'
import { findSignalsOf } from '../../src/insight/signals/find-signals.ts'
import { updateAffiliate } from '../../src/programme/affiliates/update-affiliate.ts'
import { buildAccount, buildReferral, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate, convert, openCampaign } from '../ledger/scene.ts'
import { Person } from './person.ts'

const scene = useScene()
let admin: Person
let campaignId: number
let affiliate: Awaited<ReturnType<typeof approvedAffiliate>>
let signalId: number

const run = (statement: string, values: unknown[]) => scene.database.owner.query(statement, values)

/** An affiliate with a sale, whose email address and payout address are suspicious. */
beforeEach(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  campaignId = (await openCampaign(scene.database, scene.account.id, { hold_days: 30 })).id
  affiliate = await approvedAffiliate(scene, campaignId, { email: `${unique('a')}@mailinator.com` })
  const other = await approvedAffiliate(scene, campaignId)
  const paypal_email = `${unique('pay')}@example.com`
  for (const { id } of [affiliate, other])
    await updateAffiliate(scene.database.db, scene.account.id, id, { paypal_email })
  await report()
  const before = await money()
  await findSignalsOf(scene.database.db, scene.account.id)
  expect(await money()).toEqual(before)
  signalId = (await open())[0].id
})

async function report(token = affiliate.token) {
  const { status, body } = await convert(scene.api, {
    campaign_id: campaignId,
    customer_ref: unique('customer'),
    token,
    sale: { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' },
  })
  expect(status).toBe(201)
  return body
}

async function open() {
  const query = { status: 'open', affiliate_id: affiliate.id }
  const { body } = await admin.call('listSignals', { query })
  return body.data
}
const money = async () =>
  (
    await run(
      `SELECT c.id, c.entry_type, c.payout_amount_minor, c.status FROM commissions c
        WHERE c.account_id = $1 AND c.affiliate_id = $2 ORDER BY c.id`,
      [scene.account.id, affiliate.id],
    )
  ).rows
const decide = (body: Record<string, unknown>, person = admin, id = signalId) =>
  person.call('decideSignal', { id, body })
const status = async () => (await admin.call('getAffiliate', { id: affiliate.id })).body.status

it('are listed by score, with their evidence and the others that they are about', async () => {
  expect(await open()).toMatchObject([
    {
      kind: 'shared_payout_address',
      score: 60,
      parts: [{ fact: 'accounts_paid_to_address', value: 2, points: 60 }],
      affiliate_email: affiliate.email,
      others: [{ id: expect.any(Number) }],
      in_review: 0,
      is_held: false,
    },
    { kind: 'disposable_email', score: 50, parts: [{ text: 'mailinator.com' }], others: [] },
  ])
  const page = (query: object) =>
    admin.call('listSignals', { query: { affiliate_id: affiliate.id, limit: 1, ...query } })
  for (const [order, kinds] of [
    ['newest', ['shared_payout_address', 'disposable_email']],
    ['oldest', ['disposable_email', 'shared_payout_address']],
  ] as const) {
    const first = (await page({ order })).body
    const second = (await page({ order, after: first.next })).body
    expect([first.data[0].kind, second.data[0].kind, second.next]).toEqual([...kinds, null])
  }
})

describe('a decision', () => {
  it('to dismiss changes nothing else', async () => {
    const before = await money()
    expect((await decide({ decision: 'dismiss', reason: 'A family' })).status).toBe(200)
    expect([await money(), await status()]).toEqual([before, 'approved'])
    expect((await report()).referral.status).toBe('approved')
    const { body } = await admin.call('listSignals', {
      query: { status: 'decided', affiliate_id: affiliate.id },
    })
    expect(body.data).toMatchObject([{ id: signalId, decision: 'dismiss', reason: 'A family' }])
  })

  it('to hold sends new referrals to review, until it is ended', async () => {
    const before = await money()
    await decide({ decision: 'hold' })
    expect(await money()).toEqual(before)
    const held = await report()
    expect(held.referral.status).toBe('pending_review')
    expect(held.attribution.review).toEqual(['every referral of the affiliate is reviewed'])
    expect((await admin.call('getAffiliate', { id: affiliate.id })).body.is_held).toBe(true)

    await admin.call('holdAffiliate', { id: affiliate.id, body: { is_held: false } })
    expect((await report()).referral.status).toBe('approved')
  })

  it('to reject takes back what is in review, and nothing else', async () => {
    expect((await decide({ decision: 'reject' })).status).toBe(409)
    await admin.call('holdAffiliate', { id: affiliate.id, body: { is_held: true } })
    await report()
    await report()
    expect(await open()).toMatchObject([{ in_review: 2 }, { in_review: 2 }])
    const { body } = await decide({ decision: 'reject', reason: 'Invented customers' })
    expect(body).toEqual({ rejected: 2, left: false })
    expect((await money()).map(({ status: each }) => each)).toEqual(['pending', 'void', 'void'])
  })

  it('to reject more than fit in one request leaves the signal open until the last is rejected', async () => {
    const place = { account_id: scene.account.id, campaign_id: campaignId, affiliate_id: affiliate.id }
    const values = { status: 'pending_review' } as const
    for (let n = 0; n < 501; n++) await buildReferral(scene.database, place, values)
    const inReview = async () => (await open()).map(({ in_review }: { in_review: number }) => in_review)
    expect((await decide({ decision: 'reject' })).body).toEqual({ rejected: 500, left: true })
    expect(await inReview()).toEqual([1, 1])
    expect((await decide({ decision: 'reject' })).body).toEqual({ rejected: 1, left: false })
    expect(await inReview()).toEqual([0])
  })

  it('to reject covers all that were in review, however many are counted', async () => {
    const { rows } = await run(
      `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
       SELECT $1, $2, $3, 'many ' || n, 'pending_review', now() FROM generate_series(1, $4::integer) n RETURNING id::integer`,
      [scene.account.id, campaignId, affiliate.id, MOST_IN_REVIEW + 1],
    )
    const newest = Math.max(...rows.map(({ id }) => id))
    expect((await open())[0]).toMatchObject({ in_review: MOST_IN_REVIEW, newest_in_review: newest })
  })

  it('to reject leaves out what was approved, reassigned or reported after the person looked', async () => {
    await admin.call('holdAffiliate', { id: affiliate.id, body: { is_held: true } })
    const [approved, seen] = [(await report()).referral.id, (await report()).referral.id]
    const { newest_in_review } = (await open())[0]
    expect(newest_in_review).toBe(seen)
    const later = (await report()).referral.id
    const { body } = await whileHeld(
      scene.database,
      tx => reviewReferral(tx, scene.account.id, approved, 'approved'),
      () => decide({ decision: 'reject', up_to_referral_id: newest_in_review }),
    )
    expect(body).toEqual({ rejected: 1, left: false })
    const { rows } = await run('SELECT id, status FROM referrals WHERE id = ANY ($1) ORDER BY id', [
      [approved, seen, later],
    ])
    expect(rows.map(({ status: each }) => each)).toEqual(['approved', 'rejected', 'pending_review'])
    const log = await admin.call('listAuditLog', { query: { action: 'signal.decide', subject_id: signalId } })
    expect(log.body.data[0].details).toMatchObject({ rejected: 1, referral_ids: [seen] })
  })

  it('to block rejects the affiliate and ends all of their signals, without touching what they earned', async () => {
    const before = await money()
    await decide({ decision: 'block', reason: 'One person' })
    expect([await status(), await open(), await money()]).toEqual(['rejected', [], before])
    await findSignalsOf(scene.database.db, scene.account.id)
    expect(await open()).toEqual([])
  })

  it('is made once, by the first of two people', async () => {
    const second = await whileHeld(
      scene.database,
      tx => decideSignal(tx, scene.account.id, signalId, { decision: 'dismiss' }),
      () => decide({ decision: 'block' }),
    )
    expect([second.status, await status()]).toEqual([409, 'approved'])
    expect((await decide({ decision: 'dismiss' })).status).toBe(409)
  })

  it('about two signals of one affiliate at once makes none wait for the other for ever', async () => {
    const ids = (await open()).map(({ id }: { id: number }) => id)
    const results = await Promise.all(
      ids.flatMap((id: number) => [
        decide({ decision: 'block' }, admin, id),
        findSignalsOf(scene.database.db, scene.account.id),
      ]),
    )
    const statuses = results.filter(each => typeof each === 'object').map(each => each.status)
    expect(statuses.toSorted()).toEqual([200, 409])
    expect(await status()).toBe('rejected')
  })

  it('is recorded with its affiliate', async () => {
    await decide({ decision: 'dismiss', reason: 'A family' })
    const { body } = await admin.call('listAuditLog', {
      query: { action: 'signal.decide', subject_id: signalId },
    })
    expect(body.data).toMatchObject([
      {
        details: {
          decision: 'dismiss',
          reason: 'A family',
          affiliate_id: affiliate.id,
          signal: 'shared_payout_address',
        },
      },
    ])
  })

  it.each(['finance', 'viewer'] as const)('is not for %s', async role => {
    const person = await Person.join(scene.app, scene.account.id, role)
    expect((await decide({ decision: 'dismiss' }, person)).status).toBe(403)
    expect((await person.call('holdAffiliate', { id: affiliate.id, body: { is_held: true } })).status).toBe(
      403,
    )
    expect((await person.call('listSignals')).status).toBe(200)
  })

  it('about a signal of another account finds none', async () => {
    const elsewhere = await buildAccount(scene.database)
    const stranger = await Person.join(scene.app, elsewhere.id, 'owner')
    expect((await decide({ decision: 'dismiss' }, stranger)).status).toBe(404)
    expect((await stranger.call('holdAffiliate', { id: affiliate.id, body: { is_held: true } })).status).toBe(
      404,
    )
    expect((await stranger.call('listSignals')).body.data).toEqual([])
  })
})
