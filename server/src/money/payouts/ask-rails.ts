import type { Db, Tx } from '../../db/database.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import { presentCommission } from '../commissions/commission.presenter.ts'
import { correctItem } from '../ledger/pins.ts'
import type { ItemReport, Rail, RestReport } from '../rails/rail.ts'
import { failpoint } from './failpoint.ts'
import type { OpenRails } from './open-rails.ts'
import { accountChanged, isSameAccount } from './paying-account.ts'
import { settlePayout } from './settle-payout.ts'
import {
  type ClaimedSubmission,
  claimSubmission,
  hasUndecidedItems,
  notePayingAccount,
  recordSubmission,
} from './submission.store.ts'
import { submitItems } from './submit-items.ts'
import { contradicted, noteReason, recordReports, recordRest } from './verdict.store.ts'
import { waitSeconds } from './wait-seconds.ts'

const DAY_SECONDS = 86_400
/** Money may come back after it was paid; for so long a finished submission is looked at once a day. */
const WATCH_DAYS = 60

/** Makes the calls to rails that are due, of all accounts. Several may run beside each other, so that a slow rail delays nobody else. */
export async function askRails(db: Db, rails: OpenRails): Promise<void> {
  for (let submission = await claimSubmission(db); submission; submission = await claimSubmission(db))
    await ask(db, rails, submission)
}

async function ask(db: Db, rails: OpenRails, submission: ClaimedSubmission): Promise<void> {
  const rail = await rails.paypal(submission.account_id)
  const sent = { ...submission, sent_at: submission.maybe_sent_before }
  if (rail && !(await isSameAccount(db, sent, rail)))
    return leaveToPerson(db, submission, accountChanged(submission.sender_batch_id))
  if (!rail) return leaveToPerson(db, submission, 'The account has no PayPal credentials.')
  if (rail.account !== submission.paying_account || submission.account_changed)
    if (!(await notePayingAccount(db, submission, rail.account))) return
  if (submission.status === 'intended') await submitItems(db, rail, submission)
  else await pollItems(db, rail, submission)
  await settlePayout(db, submission.account_id, submission.payout_id)
}

/**
 * The account that was called cannot be asked, and no other may be. Looked at again, in case its credentials come back; where
 * something may have been sent, a person may decide meanwhile.
 */
async function leaveToPerson(db: Db, submission: ClaimedSubmission, problem: string): Promise<void> {
  const state = { ...unchanged(submission), problem, accountChanged: submission.maybe_sent_before !== null }
  const isOpen = await hasUndecidedItems(db, submission)
  if (isOpen) await recordSubmission(db, submission, state)
  else if (submission.status === 'accepted')
    await recordSubmission(db, submission, { ...state, dueInSeconds: watchSeconds(submission) })
  else await recordSubmission(db, submission, { ...state, status: 'unclear', dueInSeconds: null })
}

/** As it was, to be looked at again later. */
const unchanged = (submission: ClaimedSubmission) => ({
  status: submission.status,
  externalId: submission.external_id,
  maybeSent: submission.maybe_sent_before !== null,
  dueInSeconds: waitSeconds(submission.attempts),
})

async function pollItems(db: Db, rail: Rail, submission: ClaimedSubmission): Promise<void> {
  const problem = await hearAll(db, rail, submission)
  await recordSubmission(db, submission, {
    ...unchanged(submission),
    problem,
    dueInSeconds:
      (await hasUndecidedItems(db, submission)) || problem
        ? waitSeconds(submission.attempts)
        : watchSeconds(submission),
  })
}

const watchSeconds = ({ created_at }: ClaimedSubmission) =>
  Date.now() - Date.parse(created_at) < WATCH_DAYS * DAY_MS ? DAY_SECONDS : null

/** Hears all that the rail says, and returns what kept it from saying more. */
async function hearAll(db: Db, rail: Rail, submission: ClaimedSubmission): Promise<string | null> {
  const pages = rail.poll(submission.external_id as string)
  for (;;) {
    const page = await nextPage(pages)
    if ('problem' in page) return page.problem
    if (!page.done) await hear(db, submission, page.value)
    else {
      const { value: rest } = page
      if (rest) await db.transaction(tx => recordRest(tx, submission.account_id, submission.id, rest))
      return null
    }
  }
}

/**
 * Only what happens in here is the rail's problem. A database that drops our connection while we write down what the rail said
 * fails with the same ECONNRESET, and is ours: it is thrown, and the submission is asked about again when its lease is over.
 */
async function nextPage(
  pages: ReturnType<Rail['poll']>,
): Promise<IteratorResult<ItemReport[], RestReport | undefined> | { problem: string }> {
  try {
    return await pages.next()
  } catch (error) {
    if (error instanceof TypeError) throw error
    return { problem: (error as Error).message }
  }
}

async function hear(db: Db, { account_id, id }: ClaimedSubmission, reports: ItemReport[]): Promise<void> {
  await db.transaction(async tx => {
    await hearReports(tx, account_id, id, reports)
    failpoint('outcomes received')
  })
  failpoint('outcomes recorded')
}

/** Writes down what a rail says, and corrects the ledger where it says otherwise than before. */
export async function hearReports(
  tx: Tx,
  accountId: number,
  submissionId: number,
  reports: ItemReport[],
): Promise<void> {
  await recordReports(tx, accountId, submissionId, reports)
  for (const { id, is_paid } of await contradicted(tx, accountId, submissionId, reports)) {
    const entry = await correctItem(tx, accountId, id, is_paid ? 'left after all' : 'came back')
    recordEvent(tx, accountId, 'commission.created', presentCommission(entry))
    const said = reports.find(({ itemId }) => itemId === id)?.reason
    await noteReason(tx, accountId, id, said ?? `${entry.description}`)
  }
}
