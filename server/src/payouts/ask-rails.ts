import { presentCommission } from '../commissions/commission.presenter.ts'
import type { Db, Tx } from '../db/database.ts'
import { failpoint } from '../kit/failpoint.ts'
import { DAY_MS } from '../kit/timestamp.ts'
import { correctItem } from '../ledger/pins.ts'
import { recordEvent } from '../outbox/record-event.ts'
import type { ItemReport, Rail } from '../rails/rail.ts'
import type { OpenRails } from './open-rails.ts'
import { settlePayout } from './settle-payout.ts'
import {
  type ClaimedSubmission,
  claimSubmission,
  hasUndecidedItems,
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
  if (!rail) {
    const problem = 'The account has no PayPal credentials.'
    await recordSubmission(db, submission, { ...unchanged(submission), problem })
    return
  }
  if (submission.status === 'intended') await submitItems(db, rail, submission)
  else await pollItems(db, rail, submission)
  await settlePayout(db, submission.account_id, submission.payout_id)
}

/** As it was, to be looked at again later. */
const unchanged = (submission: ClaimedSubmission) => ({
  status: submission.status,
  externalId: submission.external_id,
  maybeSent: submission.maybe_sent_before !== null,
  dueInSeconds: waitSeconds(submission.attempts),
})

async function pollItems(db: Db, rail: Rail, submission: ClaimedSubmission): Promise<void> {
  let problem: string | null = null
  try {
    const pages = rail.poll(submission.external_id as string)
    let page = await pages.next()
    for (; !page.done; page = await pages.next()) await hear(db, submission, page.value)
    const rest = page.value
    if (rest) await db.transaction(tx => recordRest(tx, submission.account_id, submission.id, rest))
  } catch (error) {
    if (isOurs(error)) throw error
    problem = (error as Error).message
  }
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

/** A fault of the database or of this program, unlike one of the rail, is not the rail's problem. */
const isOurs = (error: unknown) =>
  error instanceof Error && ('severity' in error || error instanceof TypeError)

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
