/** Protects what a past balance calls payable: review counts while it lasted, and not before or after it. */
import { expect, it } from 'vitest'
import { currentTime } from '../../src/db/current-time.ts'
import { flagSelfReferrals } from '../../src/earning/conversions/flag-self-referrals.ts'
import { reassignReferral } from '../../src/earning/conversions/reassign-referral.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { create, markPaid, show, untilAfter } from '../payouts/ground.ts'
import { approvedAffiliate, earnOne, type Won, winCustomer } from './scene.ts'

const scene = useScene()

/** A moment after all that happened so far, and before all that follows. */
async function now(): Promise<string> {
  await untilAfter(scene, await currentTime(scene.database.db))
  const time = await currentTime(scene.database.db)
  await untilAfter(scene, time)
  return time
}

const review = ({ referralId }: Won, status: 'approved' | 'rejected') =>
  reviewReferral(scene.database.db, scene.account.id, referralId, status)

/** What waits and what is payable. */
async function split({ affiliate }: Won, asOf?: string) {
  const [balance] = await balancesOf(scene.database.db, scene.account.id, affiliate.id, asOf)
  return [balance?.pending_minor, balance?.approved_minor]
}

it('an approved commission waited while its referral was in review, and is payable after it', async () => {
  const won = await winCustomer(scene, { reviewsReferrals: true })
  const { entry } = await earnOne(scene, won)
  await scene.api.patch(`/commissions/${entry.id}`, { status: 'approved' })
  const before = await now()
  expect(await split(won)).toEqual([2000, 0])
  await review(won, 'approved')
  const after = await now()
  expect(await split(won, before)).toEqual([2000, 0])
  expect(await split(won, after)).toEqual([0, 2000])
  expect(await split(won)).toEqual([0, 2000])
})

it('a rejection does not turn what was payable before it into what waited', async () => {
  const won = await winCustomer(scene)
  await earnOne(scene, won)
  const before = await now()
  await review(won, 'rejected')
  expect(await split(won)).toEqual([0, 0])
  expect(await split(won, before)).toEqual([0, 2000])
})

/** What the customer's billing provider says of their email. */
const learnEmail = ({ customer_ref }: Won, ...emails: string[]) =>
  scene.database.db.transaction(tx =>
    flagSelfReferrals(tx, scene.account.id, customer_ref, email => emails.includes(email)),
  )

it.each([
  ['approved', false],
  ['in review', true],
])('every review of a referral that began %s counts as long as it lasted', async (_, reviewsReferrals) => {
  const won = await winCustomer(scene, { reviewsReferrals })
  const { affiliate } = won
  const paypal_email = `paypal-of-${affiliate.email}`
  await scene.api.patch(`/affiliates/${affiliate.id}`, { paypal_email })
  const { entry } = await earnOne(scene, won)
  if (reviewsReferrals) await scene.api.patch(`/commissions/${entry.id}`, { status: 'approved' })
  const [waits, payable] = [
    [2000, 0],
    [0, 2000],
  ]
  const seen: { time: string; was: unknown }[] = []
  const expectNow = async (expected: unknown) => {
    expect(await split(won)).toEqual(expected)
    seen.push({ time: await now(), was: expected })
  }
  await expectNow(reviewsReferrals ? waits : payable)
  if (reviewsReferrals) {
    await review(won, 'approved')
    await expectNow(payable)
  }
  await learnEmail(won, paypal_email)
  await expectNow(waits)
  await review(won, 'approved')
  await expectNow(payable)
  await learnEmail(won, paypal_email, affiliate.email)
  await expectNow(waits)
  await review(won, 'rejected')
  await expectNow([0, 0])
  for (const { time, was } of seen) expect([time, await split(won, time)]).toEqual([time, was])
})

it('a referral that is reassigned and therefore reviewed was not in review before', async () => {
  const email = `${unique('named')}@example.com`
  const won = await winCustomer(scene, {}, { customer_ref: email })
  const to = await approvedAffiliate(scene, won.campaign.id, { email })
  await earnOne(scene, { ...won, customer_ref: email })
  const before = await now()
  const { status } = await reassignReferral(scene.database.db, scene.account.id, {
    referral_id: won.referralId,
    affiliate_id: to.id,
    campaign_id: won.campaign.id,
    reason: 'A call',
    dry_run: false,
  })
  expect(status).toBe('pending_review')
  expect(await split({ ...won, affiliate: to })).toEqual([2000, 0])
  expect(await split(won, before)).toEqual([0, 2000])
})

it('a review of before migration 0165 counts since the referral was made', async () => {
  const won = await winCustomer(scene)
  await earnOne(scene, won)
  const before = await now()
  await learnEmail(won, won.affiliate.email)
  await scene.database.owner.query('UPDATE referrals SET review_periods = NULL WHERE id = $1', [
    won.referralId,
  ])
  expect(await split(won, before)).toEqual([2000, 0])
  await review(won, 'approved')
  expect(await split(won, before)).toEqual([2000, 0])
  expect(await split(won, await now())).toEqual([0, 2000])
})

it('the millisecond of a move counts as after it', async () => {
  const won = await winCustomer(scene, { hold_days: 30 })
  const { entry } = await earnOne(scene, won)
  await untilAfter(scene, entry.created_at)
  const { body } = await scene.api.patch(`/commissions/${entry.id}`, { status: 'approved' })
  expect(body.status).toBe('approved')
  const { rows } = await scene.database.owner.query('SELECT approved_at FROM commissions WHERE id = $1', [
    entry.id,
  ])
  const approvedAt = rows[0].approved_at.toISOString()
  await untilAfter(scene, approvedAt)
  const { id } = await create(scene, won.campaign)
  await markPaid(scene, id)
  const paidAt = (await show(scene, id)).items[0]?.settled_at as string
  const justBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString()

  expect(await split(won, justBefore(entry.created_at))).toEqual([undefined, undefined])
  expect(await split(won, entry.created_at)).toEqual([2000, 0])
  expect(await split(won, justBefore(approvedAt))).toEqual([2000, 0])
  expect(await split(won, approvedAt)).toEqual([0, 2000])
  expect(await split(won, justBefore(paidAt))).toEqual([0, 2000])
  expect(await split(won, paidAt)).toEqual([0, 0])
})
