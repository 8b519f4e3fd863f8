import type { Db } from '../../db/database.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import type { Rail, SubmitResponse } from '../rails/rail.ts'
import { backoffSeconds } from './backoff.ts'
import { failpoint } from './failpoint.ts'
import {
  type ClaimedSubmission,
  failItems,
  itemsToSubmit,
  recordSubmission,
  type SubmissionState,
} from './submission.store.ts'

/** PayPal deduplicates a repeated batch for 30 days. Retries stop well before that, because a later one would pay twice. */
const RETRY_DAYS = 25

/**
 * Sends the items of a submission. If an earlier call may have been accepted, this one repeats it with the same batch id, and the
 * rail responds with the batch of the first.
 */
export async function submitItems(db: Db, rail: Rail, submission: ClaimedSubmission): Promise<void> {
  failpoint('submission intended')
  const { maybe_sent_before: before, sender_batch_id: senderBatchId } = submission
  if (before && Date.now() - Date.parse(before) > RETRY_DAYS * DAY_MS) {
    const problem = `PayPal has not confirmed this batch for ${RETRY_DAYS} days. Look up ${senderBatchId} in PayPal.`
    await recordSubmission(db, submission, { ...final('unclear', problem), maybeSent: true })
    return
  }
  const items = await itemsToSubmit(db, submission.account_id, submission.id)
  if (items.length === 0) {
    await recordSubmission(db, submission, nothingLeft(submission))
    return
  }
  const response = await rail.submit({ senderBatchId, items })
  failpoint('rail called')
  await db.transaction(async tx => {
    const isCurrent = await recordSubmission(tx, submission, stateAfter(submission, response))
    // A decline is final only if no earlier call can have been accepted; otherwise a person has to check.
    if (isCurrent && response.kind === 'declined' && before === null)
      await failItems(
        tx,
        submission,
        reasonsOf(
          response,
          items.map(({ id }) => id),
        ),
      )
  })
  failpoint('submission recorded')
}

/**
 * The final state of a submission without open items. Whether PayPal made the payments is known only if no call may have been
 * accepted.
 */
export const nothingLeft = ({ maybe_sent_before: before }: ClaimedSubmission): SubmissionState =>
  before === null
    ? final('refused', 'Not sent: PayPal declined each payment, or it was marked as failed.')
    : {
        ...final('unclear', 'Each payment was marked manually before PayPal confirmed the batch.'),
        maybeSent: true,
      }

type Declined = Extract<SubmitResponse, { kind: 'declined' }>

/** If a batch is declined for some of its items, only those fail and the rest is sent again; otherwise all of them fail. */
const reasonsOf = ({ itemReasons, reason }: Declined, ids: number[]): Map<number, string> =>
  itemReasons.size > 0 ? itemReasons : new Map(ids.map(id => [id, reason]))

const final = (status: 'refused' | 'unclear', problem: string): SubmissionState => ({
  status,
  externalId: null,
  problem,
  maybeSent: false,
  dueInSeconds: null,
})

function stateAfter(
  { attempts, maybe_sent_before: before }: ClaimedSubmission,
  response: SubmitResponse,
): SubmissionState {
  const retry = { status: 'intended', externalId: null, dueInSeconds: backoffSeconds(attempts) } as const
  switch (response.kind) {
    case 'accepted':
      return {
        status: 'accepted',
        externalId: response.externalId,
        problem: null,
        maybeSent: true,
        dueInSeconds: backoffSeconds(1),
      }
    case 'busy':
      return { ...retry, problem: response.reason, maybeSent: before !== null }
    case 'unknown':
      return { ...retry, problem: response.reason, maybeSent: true }
    case 'unidentified':
      return { ...final('unclear', response.reason), maybeSent: true }
    case 'declined':
      if (before !== null) return { ...final('unclear', response.reason), maybeSent: true }
      if (response.itemReasons.size > 0)
        return { ...retry, problem: response.reason, maybeSent: false, dueInSeconds: 0 }
      return final('refused', response.reason)
  }
}
