/** Protects large payouts: more than one call may hold is sent in several, more than one page is read whole, and all of it is exact. */
import { afterAll, expect, it } from 'vitest'
import { faults } from '../../../testing/fake-paypal.ts'
import { sized } from '../../../testing/size.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { PAYPAL_BATCH_ITEMS } from '../../src/money/rails/paypal-status.ts'
import { secrets, useRail } from './rail-scene.ts'

const scene = useRail()
/** What one call holds: as many as PayPal takes in the full size, fewer beside other tests. */
const MOST_ITEMS = sized(1_200, 15_000)
/** More than two pages of PayPal's, and more than the ledger moves in one transaction. */
const SEVERAL_PAGES = 2_100
/** Seconds on a machine at rest; a busy one is given its time. */
const LARGE = { timeout: 90_000 }

/** As a table that has grown over months is known to the planner; a new one would be taken for almost empty. */
const analyze = () => scene.database.owner.query('ANALYZE')
afterAll(analyze)

it(
  `${MOST_ITEMS + 1} items are two batches of ${MOST_ITEMS} at most, and each item is sent once though the first call broke off`,
  LARGE,
  async () => {
    await scene.earners(MOST_ITEMS + 1)
    await analyze()
    expect(PAYPAL_BATCH_ITEMS).toBe(15_000)
    const { database, accountId } = scene
    await submitPayout(database.db, secrets, accountId, await scene.create(), MOST_ITEMS)
    scene.paypal.next('submit', faults.resetAfter)
    await scene.ask()
    await scene.books.passTime()
    const sizes = [...scene.bank.batches.values()].map(({ items }) => items.length)
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, MOST_ITEMS])
    const names = new Set((await scene.books.submissions()).map(submission => submission.sender_batch_id))
    expect(names.size).toBe(2)
    expect(new Set(scene.bank.movements.map(({ senderItemId }) => senderItemId)).size).toBe(MOST_ITEMS + 1)
    expect(scene.bank.movements).toHaveLength(MOST_ITEMS + 1)
  },
)

it(`${SEVERAL_PAGES} items are read from all pages and settled exactly`, LARGE, async () => {
  const earners = await scene.earners(SEVERAL_PAGES)
  for (const { receiver } of earners.slice(990, 1010)) scene.bank.plan(receiver, 'FAILED')
  await analyze()
  const id = await scene.start()
  expect(await scene.askUntilEnded(id)).toBe('partially_paid')
  const statuses = (await scene.books.items()).map(({ status }) => status)
  expect(statuses.filter(status => status === 'failed')).toHaveLength(20)
  await scene.books.expectExact(scene.bank)
})
