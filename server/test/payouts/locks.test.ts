/** Protects a payout from two processes that do the same at once: the second passes over it, or waits and sees what the first did. */
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { receiveReports } from '../../src/money/payouts/process-submissions.ts'
import { claimSubmission } from '../../src/money/payouts/submission.store.ts'
import type { ItemReport } from '../../src/money/rails/rail.ts'
import { writeNotices } from '../../src/portal/notices/write-notices.ts'
import { listOwnPayouts } from '../../src/portal/portal-lists.store.ts'
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

  const notices = {
    baseUrl: 'https://tributary.example',
    log: pino({ level: 'silent' }),
    setAside: new Set<number>(),
  }
  await writeNotices(scene.database.db, notices)
  const mails = await scene.database.owner.query(
    'SELECT kind, text_body AS text FROM mails WHERE account_id = $1 ORDER BY id',
    [scene.accountId],
  )
  const returned = mails.rows.filter(({ kind }) => kind === 'payout_failed')
  expect(returned.map(({ text }) => text)).toEqual([
    expect.stringMatching(/the payment was returned[\s\S]*The receiver did not accept it\./),
  ])
  const own = { accountId: scene.accountId, affiliateId: earner.affiliateId }
  expect(await listOwnPayouts(scene.database.db, own, { limit: 10 })).toMatchObject([
    { status: 'paid', is_returned: true, reason: 'The receiver did not accept it.' },
  ])
})
