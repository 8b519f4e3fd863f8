import type { Db, Tx } from '../../db/database.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import { presentCommission } from '../commissions/commission.presenter.ts'
import { correctItem } from '../ledger/pins.ts'
import type { BatchReport, ItemReport, Rail } from '../rails/rail.ts'
import { backoffSeconds } from './backoff.ts'
import { failpoint } from './failpoint.ts'
import type { OpenRails } from './open-rails.ts'
import { accountChanged, isSameAccount } from './paying-account.ts'
import { contradictedItems, recordBatchReport, recordReports, setReason } from './payment-outcome.store.ts'
import { settlePayout } from './settle-payout.ts'
import {
  type ClaimedSubmission,
  claimSubmission,
  hasItemsWithoutOutcome,
  recordPayingAccount,
  recordSubmission,
} from './submission.store.ts'
import { nothingLeft, submitItems } from './submit-items.ts'

const DAY_SECONDS = 86_400
/** A paid item can still be returned, so a finished submission is polled daily for this long. */
const WATCH_DAYS = 60

/** Makes the rail calls that are due, for all accounts. Several may run concurrently, so that one slow rail does not delay the others. */
export async function processSubmissions(db: Db, rails: OpenRails, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const submission = await claimSubmission(db)
    if (!submission) return
    await processSubmission(db, rails, submission)
  }
}

async function processSubmission(db: Db, rails: OpenRails, submission: ClaimedSubmission): Promise<void> {
  const rail = await rails.paypal(submission.account_id)
  const sent = { ...submission, sent_at: submission.maybe_sent_before }
  if (rail && !(await isSameAccount(db, sent, rail)))
    return deferToPerson(db, submission, accountChanged(submission.sender_batch_id))
  if (!rail) return deferToPerson(db, submission, 'The account has no PayPal credentials.')
  if (rail.account !== submission.paying_account || submission.account_changed)
    if (!(await recordPayingAccount(db, submission, rail.account))) return
  if (submission.status === 'intended') await submitItems(db, rail, submission)
  else await pollItems(db, rail, submission)
  await settlePayout(db, submission.account_id, submission.payout_id)
}

/**
 * The paying account can't be reached, and no other may be called instead. Retried later, in case its credentials are restored;
 * where something may have been sent, a person may enter the outcome in the meantime.
 */
async function deferToPerson(db: Db, submission: ClaimedSubmission, problem: string): Promise<void> {
  const state = { ...unchanged(submission), problem, accountChanged: submission.maybe_sent_before !== null }
  const isOpen = await hasItemsWithoutOutcome(db, submission)
  if (isOpen) await recordSubmission(db, submission, state)
  else if (submission.status === 'accepted')
    await recordSubmission(db, submission, { ...state, dueInSeconds: watchSeconds(submission) })
  else await recordSubmission(db, submission, nothingLeft(submission))
}

/** The current state, with the next retry. */
const unchanged = (submission: ClaimedSubmission) => ({
  status: submission.status,
  externalId: submission.external_id,
  maybeSent: submission.maybe_sent_before !== null,
  dueInSeconds: backoffSeconds(submission.attempts),
})

async function pollItems(db: Db, rail: Rail, submission: ClaimedSubmission): Promise<void> {
  const problem = await pollAllPages(db, rail, submission)
  await recordSubmission(db, submission, {
    ...unchanged(submission),
    problem,
    dueInSeconds:
      (await hasItemsWithoutOutcome(db, submission)) || problem
        ? backoffSeconds(submission.attempts)
        : watchSeconds(submission),
  })
}

const watchSeconds = ({ created_at }: ClaimedSubmission) =>
  Date.now() - Date.parse(created_at) < WATCH_DAYS * DAY_MS ? DAY_SECONDS : null

/** Records every page of the rail's report. Returns the problem that cut it short, if any. */
async function pollAllPages(db: Db, rail: Rail, submission: ClaimedSubmission): Promise<string | null> {
  const pages = rail.poll(submission.external_id as string)
  for (;;) {
    const page = await nextPage(pages)
    if ('problem' in page) return page.problem
    if (!page.done) await receivePage(db, submission, page.value)
    else {
      const { value: batch } = page
      if (batch)
        await db.transaction(tx => recordBatchReport(tx, submission.account_id, submission.id, batch))
      return null
    }
  }
}

/**
 * Only an error thrown in here is the rail's. A dropped database connection while recording the report raises the same
 * ECONNRESET but is our own failure: it is thrown, and the submission is retried when its lease expires.
 */
async function nextPage(
  pages: ReturnType<Rail['poll']>,
): Promise<IteratorResult<ItemReport[], BatchReport | undefined> | { problem: string }> {
  try {
    return await pages.next()
  } catch (error) {
    if (error instanceof TypeError) throw error
    return { problem: (error as Error).message }
  }
}

async function receivePage(
  db: Db,
  { account_id, id }: ClaimedSubmission,
  reports: ItemReport[],
): Promise<void> {
  await db.transaction(async tx => {
    await receiveReports(tx, account_id, id, reports)
    failpoint('outcomes received')
  })
  failpoint('outcomes recorded')
}

/** Records a rail's reports, and corrects the ledger where they contradict an outcome that is already booked. */
export async function receiveReports(
  tx: Tx,
  accountId: number,
  submissionId: number,
  reports: ItemReport[],
): Promise<void> {
  await recordReports(tx, accountId, submissionId, reports)
  for (const { id, affiliate_id, is_paid } of await contradictedItems(tx, accountId, submissionId, reports)) {
    const entry = await correctItem(tx, accountId, id, is_paid ? 'paid' : 'returned')
    recordEvent(tx, accountId, 'commission.created', presentCommission(entry))
    const reason = reports.find(({ itemId }) => itemId === id)?.reason
    await setReason(tx, accountId, id, reason ?? `${entry.description}`)
    // The affiliate's last email says the opposite.
    const notice = is_paid
      ? { kind: 'payout_sent', details: { item_id: id } }
      : { kind: 'payout_failed', details: { item_id: id, is_returned: true } }
    await recordNotices(tx, accountId, [{ ...notice, affiliateId: affiliate_id }])
  }
}
