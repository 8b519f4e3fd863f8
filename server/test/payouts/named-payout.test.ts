/** Protects one payout from what is said of another, and what may have been sent from being forgotten. */
import { expect, it } from 'vitest'
import { faults } from '../../../testing/fake-paypal.ts'
import { cancelItem } from '../../src/money/payouts/cancel-item.ts'
import { type Earner, type ItemRow, useRail } from './rail-scene.ts'

const scene = useRail()

async function unclaimed(): Promise<{ id: number; item: ItemRow }> {
  const [earner] = (await scene.earners(1)) as [Earner]
  scene.bank.plan(earner.receiver, 'UNCLAIMED')
  const id = await scene.start()
  await scene.ask()
  await scene.ask()
  return { id, item: (await scene.books.items(id))[0] as ItemRow }
}

it('an item can only be canceled through its own payout', async () => {
  const [one, other] = [await unclaimed(), await unclaimed()]
  const cancel = (payoutId: number) =>
    cancelItem(scene.database.db, scene.rails, scene.accountId, payoutId, one.item.id)
  await expect(cancel(other.id)).rejects.toThrow('can be canceled individually')
  expect((await scene.books.items(one.id))[0]).toMatchObject({ status: 'processing', outcome: null })
  await cancel(one.id)
  expect((await scene.books.items(one.id))[0]).toMatchObject({ status: 'canceled' })
  await scene.books.expectExact(scene.bank)
})

it('a batch that became unclear still says since when it may have been sent', async () => {
  await scene.earners(1)
  await scene.start()
  scene.paypal.next('submit', faults.resetAfter)
  await scene.ask()
  await scene.database.owner.query(
    `UPDATE payout_submissions SET maybe_sent_at = now() - interval '26 days' WHERE account_id = $1`,
    [scene.accountId],
  )
  await scene.ask()
  expect(await scene.books.submissions()).toMatchObject([
    { status: 'unclear', maybe_sent_at: expect.any(String) },
  ])
})
