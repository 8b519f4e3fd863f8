/** Payouts are settled independently: one that fails is reported and does not block the others. */
import { expect, it } from 'vitest'
import { recordOutcome } from '../../src/money/payouts/payment-outcome.store.ts'
import { settleAllPayouts, settlePayout } from '../../src/money/payouts/settle-payout.ts'
import { useScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import { create, owed, show, statuses } from './ground.ts'

const scene = useScene()

/** A payout of one item that was said to be paid, and is not booked yet. */
async function unbooked() {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const affiliate = await owed(scene, campaign, [500])
  const { id } = await create(scene, campaign)
  const reported = { outcome: 'paid', reason: null, reference: null } as const
  await scene.database.db.transaction(tx => recordOutcome(tx, scene.account.id, id, undefined, reported))
  return { id, affiliate }
}

const paidEntries = async (affiliateId: number) =>
  (await scene.api.get(`/commissions?affiliate_id=${affiliateId}&status=paid`)).body.data.length

it('booking one payout leaves another of the account alone', async () => {
  const [one, other] = [await unbooked(), await unbooked()]
  await settlePayout(scene.database.db, scene.account.id, one.id)
  expect(await statuses(scene, one.id)).toEqual(['paid', 'paid'])
  expect(await statuses(scene, other.id)).toEqual(['pending', 'pending'])
  expect(await paidEntries(other.affiliate.id)).toBe(0)
})

it('an item that is not the sum of its commissions is not booked at all, and the others are', async () => {
  const [wrong, right] = [await unbooked(), await unbooked()]
  const [item] = (await show(scene, wrong.id)).items
  const setAmount = (minor: number) =>
    scene.database.owner.query('UPDATE payout_items SET amount_minor = $2 WHERE id = $1', [item?.id, minor])
  await setAmount(499)
  await expect(settleAllPayouts(scene.database.db)).rejects.toMatchObject({
    errors: [{ message: `Payout item ${item?.id} is not the sum of its commissions.` }],
  })
  expect(await statuses(scene, right.id)).toEqual(['paid', 'paid'])
  expect(await statuses(scene, wrong.id)).toEqual(['pending', 'pending'])
  expect(await paidEntries(wrong.affiliate.id)).toBe(0)

  await setAmount(500)
  await settleAllPayouts(scene.database.db)
  expect(await statuses(scene, wrong.id)).toEqual(['paid', 'paid'])
})
