import type { Db } from '../../db/database.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import type { Rail, SubmitAnswer } from '../rails/rail.ts'
import { failpoint } from './failpoint.ts'
import {
  type ClaimedSubmission,
  failItems,
  itemsToSubmit,
  recordSubmission,
  type SubmissionState,
} from './submission.store.ts'
import { waitSeconds } from './wait-seconds.ts'

/** PayPal recognises a repeated batch for 30 days. Well before that we stop asking: afterwards a repetition would pay again. */
const RECOGNISED_DAYS = 25

/**
 * Sends the items of a submission. Where an earlier call may have got through, this one asks the same under the same name, and
 * the rail answers with what it made of the first.
 */
export async function submitItems(db: Db, rail: Rail, submission: ClaimedSubmission): Promise<void> {
  failpoint('submission intended')
  const { maybe_sent_before: before, sender_batch_id: senderBatchId } = submission
  if (before && Date.now() - Date.parse(before) > RECOGNISED_DAYS * DAY_MS) {
    const problem = `For ${RECOGNISED_DAYS} days PayPal has not said whether it took this batch. Look for ${senderBatchId} there.`
    await recordSubmission(db, submission, { ...ended('unclear', problem), maybeSent: true })
    return
  }
  const items = await itemsToSubmit(db, submission.account_id, submission.id)
  if (items.length === 0) {
    await recordSubmission(db, submission, ended('refused', 'PayPal refused every item.'))
    return
  }
  const answer = await rail.submit({ senderBatchId, items })
  failpoint('rail called')
  await db.transaction(async tx => {
    const isLast = await recordSubmission(tx, submission, stateAfter(submission, answer))
    // A refusal counts only where no other call can have got through: otherwise a person has to look.
    if (isLast && answer.kind === 'declined' && before === null)
      await failItems(
        tx,
        submission,
        reasonsOf(
          answer,
          items.map(({ id }) => id),
        ),
      )
  })
  failpoint('submission recorded')
}

type Declined = Extract<SubmitAnswer, { kind: 'declined' }>

/** A batch that is refused for some of its items loses those; the rest is sent again. Otherwise all of it failed. */
const reasonsOf = ({ itemReasons, reason }: Declined, ids: number[]): Map<number, string> =>
  itemReasons.size > 0 ? itemReasons : new Map(ids.map(id => [id, reason]))

const ended = (status: 'refused' | 'unclear', problem: string): SubmissionState => ({
  status,
  externalId: null,
  problem,
  maybeSent: false,
  dueInSeconds: null,
})

function stateAfter(
  { attempts, maybe_sent_before: before }: ClaimedSubmission,
  answer: SubmitAnswer,
): SubmissionState {
  const again = { status: 'intended', externalId: null, dueInSeconds: waitSeconds(attempts) } as const
  switch (answer.kind) {
    case 'accepted':
      return {
        status: 'accepted',
        externalId: answer.externalId,
        problem: null,
        maybeSent: true,
        dueInSeconds: waitSeconds(1),
      }
    case 'busy':
      return { ...again, problem: answer.reason, maybeSent: before !== null }
    case 'unknown':
      return { ...again, problem: answer.reason, maybeSent: true }
    case 'untold':
      return { ...ended('unclear', answer.reason), maybeSent: true }
    case 'declined':
      if (before !== null) return { ...ended('unclear', answer.reason), maybeSent: true }
      if (answer.itemReasons.size > 0)
        return { ...again, problem: answer.reason, maybeSent: false, dueInSeconds: 0 }
      return ended('refused', answer.reason)
  }
}
