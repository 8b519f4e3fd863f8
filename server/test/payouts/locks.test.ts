/** Protects a payout from two processes that do the same at once: the second passes over it, or waits and sees what the first did. */
import { expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { receiveReports } from '../../src/money/payouts/process-submissions.ts'
import { claimSubmission } from '../../src/money/payouts/submission.store.ts'
import type { ItemReport } from '../../src/money/rails/rail.ts'
import { whileHeld } from '../interleave.ts'
import { type Earner, useRail } from './rail-scene.ts'

const scene = useRail()

it('a submission that is being claimed is passed over', async () => {
  await scene.earners(1)
  await scene.start()
  const late = await whileHeld(scene.database, claimSubmission, () => claimSubmission(scene.database.db))
  expect(late).toBeUndefined()
  expect((await scene.books.submissions()).map(({ attempts }) => attempts)).toEqual([1])
})

it('a returned payment that two processes see is corrected once', async () => {
  const [earner] = (await scene.earners(1)) as [Earner]
  const payoutId = await scene.start()
  expect(await scene.askUntilEnded(payoutId)).toBe('paid')
  const { rows } = await scene.database.owner.query(
    'SELECT id::integer, submission_id::integer FROM payout_items WHERE payout_id = $1',
    [payoutId],
  )
  const report: ItemReport = {
    itemId: rows[0].id,
    outcome: 'failed',
    reason: 'The receiver did not accept it.',
    reference: null,
    externalId: 'item-1',
  }
  const receive = (tx: Tx) => receiveReports(tx, scene.accountId, rows[0].submission_id, [report])
  await whileHeld(scene.database, receive, () => scene.database.db.transaction(receive))
  expect(await scene.books.corrections()).toEqual([earner.minor])
})
