/** Protects affiliates from a puzzle: whose referral was credited to someone else sees why the commission is gone, and nothing of the other one. */
import { expect, it } from 'vitest'
import { useScene } from '../harness.ts'
import { ground, reassign } from '../ledger/reassign-scene.ts'
import { earnOne, pay } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })

it('the affiliate before sees what was taken back and why; the new one has the referral, and only their own money', async () => {
  const given = await ground(scene)
  await earnOne(scene, given, 3000)
  await pay(scene, given.campaign.id)
  await earnOne(scene, given, 10_000)
  await reassign(scene, scene.database.db, given)
  const [from, to] = [
    await PortalBrowser.signIn(scene, given.affiliate.id),
    await PortalBrowser.signIn(scene, given.to.id),
  ]
  const commissions = (await from.ask('listCommissions')).data
  expect(
    commissions.map((each: { amount_minor: number; is_reassigned: boolean; referral_id: number | null }) => [
      each.amount_minor,
      each.is_reassigned,
      each.referral_id,
    ]),
  ).toEqual([
    [-2000, true, null],
    [2000, true, null],
    [-600, false, null],
    [600, false, null],
  ])
  expect((await from.ask('listReferrals')).data).toEqual([])
  expect((await from.call('getReferral', { id: given.referralId })).status).toBe(404)
  const [referral] = (await to.ask('listReferrals')).data
  expect(referral).toMatchObject({
    id: given.referralId,
    earned: [{ currency: 'USD', amount_minor: 2000, status: 'approved' }],
  })
  const detail = await to.ask('getReferral', { id: given.referralId })
  expect(detail.commissions).toMatchObject([{ amount_minor: 2000, is_reassigned: false }])
})
