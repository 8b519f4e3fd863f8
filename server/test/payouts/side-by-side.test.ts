/** Protects two payouts of one campaign that are open at once: each pays or releases its own commissions, and none of the other's. */
import { afterAll, expect, it } from 'vitest'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import { create, markFailed, markPaid, owe, owed, preview, previewResults, statuses } from './ground.ts'

const scene = useSoundScene()
afterAll(async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})

/** An affiliate who is in both: 500 in the first, 300 in the second. */
async function twoPayouts() {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const affiliate = await owed(scene, campaign, [500])
  const first = (await create(scene, campaign)).id
  await owe(scene, campaign, affiliate, 300)
  const second = (await create(scene, campaign)).id
  const paid = async () => {
    const { body } = await scene.api.get(`/commissions?affiliate_id=${affiliate.id}&status=paid`)
    return body.data.map(({ amount_minor }: { amount_minor: number }) => amount_minor)
  }
  return { campaign, affiliate, first, second, paid }
}

it.each(['first', 'second'] as const)('the %s is paid: the other is as open as before', async which => {
  const { first, second, paid } = await twoPayouts()
  const [one, other, minor] = which === 'first' ? [first, second, 500] : [second, first, 300]
  await markPaid(scene, one)
  expect(await statuses(scene, other)).toEqual(['pending', 'pending'])
  expect(await paid()).toEqual([-minor, minor])
  await markPaid(scene, other)
  expect(await statuses(scene, other)).toEqual(['paid', 'paid'])
})

it('the first fails: only what was in it is in the next one', async () => {
  const { campaign, affiliate, first, second } = await twoPayouts()
  await markFailed(scene, first)
  expect(previewResults(await preview(scene, campaign))).toEqual([[affiliate.id, 500, null]])
  await markPaid(scene, second)
  expect(previewResults(await preview(scene, campaign))).toEqual([[affiliate.id, 500, null]])
})
