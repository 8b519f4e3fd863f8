/** A payout is paid in one way only: a manual one is never sent to PayPal, and each payment file is complete. */
import { expect, it } from 'vitest'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { useScene } from '../harness.ts'
import { countRows, openCampaign } from '../ledger/scene.ts'
import { create, exported, owed, statuses } from './ground.ts'

const scene = useScene()
const NO_ADDRESS = { paypal_email: null }

it('a manual payout is not submitted to PayPal', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  await owed(scene, campaign, [500])
  const { id } = await create(scene, campaign)
  const { db } = scene.database
  await expect(submitPayout(db, scene.app.services.secrets, scene.account.id, id)).rejects.toThrow(
    'rail is manual, not PayPal',
  )
  expect(await statuses(scene, id)).toEqual(['pending', 'pending'])
  expect(await countRows(scene, 'payout_submissions', 'payout_id = $1', [id])).toBe(0)
})

it.each(['before', 'after'])(
  'a PayPal file never leaves out an affiliate without an address, %s a bank file',
  async when => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    await owed(scene, campaign, [500])
    await owed(scene, campaign, [700], NO_ADDRESS)
    const { id } = await create(scene, campaign)
    if (when === 'after') await exported(scene, id, 'bank')
    await expect(exported(scene, id, 'paypal')).rejects.toThrow('Items without a PayPal address')
  },
)
