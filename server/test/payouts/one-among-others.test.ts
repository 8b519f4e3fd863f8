/** Protects payments that are under way beside others: what is asked of one item, batch or account is answered of that one alone. */
import { expect, it } from 'vitest'
import { createPayout } from '../../src/payouts/create-payout.ts'
import { handOverPayout } from '../../src/payouts/hand-over-payout.ts'
import { setPayPalCredentials } from '../../src/payouts/rail-credentials.ts'
import {
  type ClaimedSubmission,
  claimSubmission,
  findSubmittedItem,
  hasUndecidedItems,
  resumeSubmissions,
} from '../../src/payouts/submission.store.ts'
import { buildAccount } from '../factories.ts'
import { openCampaign } from '../ledger/scene.ts'
import { Books, buildEarners, CREDENTIALS, secrets, useRail } from './rail-scene.ts'

const scene = useRail()

it('an item that was sent is found by its own id, and not by a neighbour’s', async () => {
  await scene.earners(2)
  const payoutId = await scene.start()
  const { db, owner } = scene.database
  await owner.query(`UPDATE payout_items SET external_id = 'item-' || id WHERE payout_id = $1`, [payoutId])
  const ids = (await scene.books.items(payoutId)).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  for (const id of ids)
    expect(await findSubmittedItem(db, scene.accountId, payoutId, id)).toMatchObject({
      external_id: `item-${id}`,
    })
  expect(await findSubmittedItem(db, scene.accountId, payoutId, Math.max(...ids) + 1)).toBeUndefined()
})

it('a batch is open as long as an item of its own is, whatever is open beside it', async () => {
  const { db, owner } = scene.database
  const start = async () => {
    await scene.earners(1)
    const payoutId = await scene.start()
    return { payoutId, batch: (await claimSubmission(db)) as ClaimedSubmission }
  }
  const [first, second] = [await start(), await start()]
  const isOpen = async () => [
    await hasUndecidedItems(db, first.batch),
    await hasUndecidedItems(db, second.batch),
  ]
  expect(await isOpen()).toEqual([true, true])
  await owner.query(`UPDATE payout_items SET outcome = 'failed', reason = 'x' WHERE payout_id = $1`, [
    first.payoutId,
  ])
  expect(await isOpen()).toEqual([false, true])
})

it('new credentials take up what waited for them in their own account, and nothing of another', async () => {
  const { db, owner } = scene.database
  await scene.earners(1)
  await scene.start()
  const { id: other } = await buildAccount(scene.database)
  const campaign = await openCampaign(scene.database, other)
  await setPayPalCredentials(db, secrets, other, CREDENTIALS)
  await buildEarners(scene.database, other, campaign, 1)
  const { id: payoutId } = await createPayout(db, other, { campaignId: campaign.id, rail: 'paypal' })
  await handOverPayout(db, secrets, other, payoutId)
  const accounts = [scene.accountId, other]
  await owner.query(
    `UPDATE payout_submissions SET account_changed = true, due_at = now() + interval '1 hour' WHERE account_id = ANY ($1)`,
    [accounts],
  )
  await resumeSubmissions(db, scene.accountId)
  const dueSoon = await Promise.all(
    accounts.map(async account =>
      (await new Books(scene.database, account).submissions()).map(
        ({ due_at }) => Date.parse(due_at as string) - Date.now() < 60_000,
      ),
    ),
  )
  expect(dueSoon).toEqual([[true], [false]])
})
