/** Protects a payout from taking half of a pair: what was taken back counts when, and only when, what it is taken from does or did. */
import { expect, it } from 'vitest'
import { currentTime } from '../../src/db/current-time.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { findEarnings } from '../../src/portal/earnings.store.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { earnOne, openCampaign, pay, refund, winCustomer } from '../ledger/scene.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { create, earnFor, owe, owed, preview, previewResults, untilAfter } from './ground.ts'

const scene = useScene()

const giveBack = (sale_external_id: string, amount_minor: number) =>
  refund(scene.api, { external_id: unique('refund'), sale_external_id, amount_minor })

it('a sale and its refund after the cut-off are both left to the next payout', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const affiliate = await owed(scene, campaign, [700])
  const cutOff = await currentTime(scene.database.db)
  await untilAfter(scene, cutOff)
  const { external_id } = await earnFor(scene, campaign, affiliate, 10_000)
  await giveBack(external_id, 2500)
  expect(previewResults(await preview(scene, campaign, { cutOff }))).toEqual([[affiliate.id, 700, null]])
  expect(previewResults(await preview(scene, campaign))).toEqual([[affiliate.id, 2200, null]])
})

it('an entry of the very moment of the cut-off is in, and so is what is taken back of it', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const affiliate = await owed(scene, campaign, [])
  const { external_id, commissions } = await earnFor(scene, campaign, affiliate, 10_000)
  const cutOff = String(commissions[0]?.created_at)
  await untilAfter(scene, cutOff)
  await giveBack(external_id, 2500)
  expect(await create(scene, campaign, { cutOff })).toMatchObject({ items: 1, total_minor: 1500 })
})

/** As versions before the rule could leave it: paid, and then put in review. */
const putInReview = (referralId: number) =>
  scene.database.owner.query(`UPDATE referrals SET status = 'pending_review' WHERE id = $1`, [referralId])

it('what is taken back of a paid commission counts although its referral is in review', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  await pay(scene, won.campaign.id)
  await putInReview(won.referralId)
  await giveBack(external_id, 2500)
  await owe(scene, won.campaign, won.affiliate, 800)
  const { rows } = await preview(scene, won.campaign)
  expect(rows).toMatchObject([{ payable_minor: 300, in_review_minor: 0, reason: null, entries: 2 }])
  // Balance and portal deduct it like the payout, and so does a past balance, once the commission was paid.
  const { db } = scene.database
  const now = await currentTime(db)
  for (const asOf of [undefined, now])
    expect(await balancesOf(db, scene.account.id, won.affiliate.id, asOf)).toMatchObject([
      { approved_minor: 300, pending_minor: 0, paid_out_minor: 2000, balance_minor: 300 },
    ])
  expect(await findEarnings(db, scene.account.id, won.affiliate.id)).toMatchObject([
    { approved_minor: 300, pending_minor: 0, in_review_minor: 0, paid_minor: 2000, earned_minor: 2300 },
  ])
  const jane = await PortalBrowser.signIn(scene, won.affiliate.id)
  const { data } = await jane.ask('listCommissions')
  expect(data.filter(({ in_review }: { in_review: boolean }) => in_review)).toEqual([])
})

it('a commission in another payout is in that one, and not in review', async () => {
  const won = await winCustomer(scene)
  await earnOne(scene, won)
  await create(scene, won.campaign)
  await putInReview(won.referralId)
  await owe(scene, won.campaign, won.affiliate, 800)
  const { rows } = await preview(scene, won.campaign)
  expect(rows).toMatchObject([
    { payable_minor: 800, in_payout_minor: 2000, in_review_minor: 0, balance_minor: 2800, reason: null },
  ])
})

it('a pending commission in review is counted as in review alone, and not as on hold too', async () => {
  const won = await winCustomer(scene, { reviewsReferrals: true, hold_days: 30 })
  await earnOne(scene, won)
  const { rows } = await preview(scene, won.campaign)
  expect(rows).toMatchObject([
    { in_review_minor: 2000, on_hold_minor: 0, balance_minor: 2000, reason: 'in_review' },
  ])
})
