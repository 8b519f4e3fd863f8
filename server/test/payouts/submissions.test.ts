/** Protects each payment from being sent in two batches or by two processes: an item is in one batch, and a batch in one hand. */
import { expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import {
  type ClaimedSubmission,
  claimSubmission,
  insertSubmission,
  recordPayingAccount,
  recordSubmission,
} from '../../src/money/payouts/submission.store.ts'
import { useRail } from './rail-scene.ts'

const scene = useRail()
const claim = async () => (await claimSubmission(scene.database.db)) as ClaimedSubmission

const batches = async (payoutId: number) =>
  scene.database.db.many<{ name: string | null; items: number }>(sql`
    SELECT s.sender_batch_id AS name, count(*)::integer AS items
      FROM payout_items i LEFT JOIN payout_submissions s ON s.account_id = i.account_id AND s.id = i.submission_id
     WHERE i.account_id = ${scene.accountId} AND i.payout_id = ${payoutId} GROUP BY 1 ORDER BY min(i.id)`)

it('a batch takes so many items of its payout at most, and none that is in another', async () => {
  await scene.earners(3)
  const id = await scene.create()
  await scene.earners(1)
  const other = await scene.create()
  const sizes = await scene.database.db.transaction(async tx => {
    const insert = (name: string) => insertSubmission(tx, scene.accountId, id, name, 2)
    return [await insert('first'), await insert('second'), await insert('third')]
  })
  expect(sizes).toEqual([2, 1, 0])
  expect(await batches(id)).toEqual([
    { name: 'first', items: 2 },
    { name: 'second', items: 1 },
  ])
  expect(await batches(other)).toEqual([{ name: null, items: 1 }])
  expect(await scene.books.submissions()).toHaveLength(2)
})

it('a claimed batch cannot be claimed again until its lease expires, and then only the last claim counts', async () => {
  await scene.earners(1)
  await scene.start()
  const first = await claim()
  expect(first).toMatchObject({ account_id: scene.accountId, attempts: 1, maybe_sent_before: null })
  expect(await claim()).toBeUndefined()

  await scene.books.passTime()
  const second = await claim()
  expect(second).toMatchObject({ id: first.id, attempts: 2, maybe_sent_before: expect.any(String) })
  const state = {
    status: 'unclear',
    externalId: null,
    problem: null,
    maybeSent: true,
    dueInSeconds: null,
  } as const
  const { db } = scene.database
  expect(await recordPayingAccount(db, first, 'late')).toBe(false)
  expect(await recordSubmission(db, first, { ...state, status: 'refused' })).toBe(false)
  expect(await recordPayingAccount(db, second, 'account')).toBe(true)
  expect(await recordSubmission(db, second, state)).toBe(true)
  expect(await scene.books.submissions()).toMatchObject([{ status: 'unclear', due_at: null }])
})

it('the batch that has been due for longest is claimed first', async () => {
  const started: number[] = []
  for (let n = 0; n < 3; n++) {
    await scene.earners(1)
    started.push(await scene.start())
  }
  const dueBefore = (payoutId: number | undefined, minutes: number) =>
    scene.database.owner.query(
      `UPDATE payout_submissions SET due_at = now() - $2 * interval '1 minute' WHERE payout_id = $1`,
      [payoutId, minutes],
    )
  await dueBefore(started[0], 1)
  await dueBefore(started[1], 3)
  await dueBefore(started[2], -1)
  expect([(await claim()).payout_id, (await claim()).payout_id]).toEqual([started[1], started[0]])
  expect(await claim()).toBeUndefined()
})
