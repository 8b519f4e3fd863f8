/** Protects a payout from being paid in two ways: what is paid by hand never goes to PayPal, and each file holds all that it must. */
import { expect, it } from 'vitest'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { useScene } from '../harness.ts'
import { countRows, openCampaign } from '../ledger/scene.ts'
import { create, exported, owed, statuses } from './ground.ts'

const scene = useScene()
const NO_ADDRESS = { paypal_email: null }

it('a manual payout is not handed over to PayPal', async () => {
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
  'no PayPal file leaves out whoever has no address, %s a bank file',
  async when => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    await owed(scene, campaign, [500])
    await owed(scene, campaign, [700], NO_ADDRESS)
    const { id } = await create(scene, campaign)
    if (when === 'after') await exported(scene, id, 'bank')
    await expect(exported(scene, id, 'paypal')).rejects.toThrow('Items without a PayPal address')
  },
)
