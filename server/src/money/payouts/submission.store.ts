import { NOW } from '../../db/current-time.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { RailItem } from '../rails/rail.ts'
import type { SentFrom } from './paying-account.ts'
import type { SubmissionDetail } from './payout.ts'

/** Longer than any call may take: a process that has not recorded its result by then has crashed. */
const LEASE_SECONDS = 300

/**
 * Submissions (`s`) that no call can have sent: a claim records the call before it makes it, and only the response that rules out
 * that anything was sent takes this back.
 */
export const isUnsent = sql`(s.status = 'intended' AND s.maybe_sent_at IS NULL)`

/** Stores, before any call, which of the payout's items are sent under this batch id. Returns how many. */
export async function insertSubmission(
  tx: Tx,
  accountId: number,
  payoutId: number,
  senderBatchId: string,
  limit: number,
): Promise<number> {
  const sent = await tx.many(sql`
    WITH part AS (
      SELECT i.id FROM payout_items i
       WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.submission_id IS NULL AND i.outcome IS NULL
       ORDER BY i.id LIMIT ${limit}
    ), submission AS (
      INSERT INTO payout_submissions (account_id, payout_id, sender_batch_id)
      SELECT ${accountId}, ${payoutId}, ${senderBatchId} WHERE EXISTS (SELECT 1 FROM part) RETURNING id
    )
    UPDATE payout_items i SET submission_id = submission.id FROM submission, part
     WHERE i.account_id = ${accountId} AND i.id = part.id RETURNING i.id`)
  return sent.length
}

export interface ClaimedSubmission {
  account_id: number
  id: number
  payout_id: number
  sender_batch_id: string
  status: 'intended' | 'accepted'
  external_id: string | null
  attempts: number
  created_at: string
  /** When the first call that may have been accepted was made; null if there was none. */
  maybe_sent_before: string | null
  /** The fingerprint of the account the last call was made from. */
  paying_account: string | null
  /** Whether a person may enter outcomes, because the credentials are for another account. */
  account_changed: boolean
}

/**
 * Leases the submission that has been due longest, and records that a call is about to be made: after a crash from here on, it is
 * never mistaken for one that was not sent.
 */
export function claimSubmission(db: Db): Promise<ClaimedSubmission | undefined> {
  return db.first(sql`
    /* every account */ WITH due AS (
      SELECT s.account_id, s.id, s.maybe_sent_at FROM payout_submissions s
       WHERE s.due_at <= ${NOW} ORDER BY s.due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE payout_submissions s
       SET due_at = now() + ${LEASE_SECONDS} * interval '1 second', attempts = s.attempts + 1,
           maybe_sent_at = CASE s.status WHEN 'intended' THEN coalesce(s.maybe_sent_at, now()) ELSE s.maybe_sent_at END
      FROM due WHERE s.account_id = due.account_id AND s.id = due.id
    RETURNING s.account_id, s.id, s.payout_id, s.sender_batch_id, s.status, s.external_id, s.attempts, s.created_at,
              due.maybe_sent_at AS maybe_sent_before, s.paying_account, s.account_changed`)
}

/**
 * Records the paying account before the call. From here on no person may enter outcomes for the items: the row lock serializes
 * the two. Returns false if another process has claimed the submission since.
 */
export async function recordPayingAccount(
  db: Db,
  { account_id, id, attempts }: ClaimedSubmission,
  payingAccount: string,
): Promise<boolean> {
  const row = await db.first(sql`
    UPDATE payout_submissions s SET paying_account = ${payingAccount}, account_changed = false
     WHERE s.account_id = ${account_id} AND s.id = ${id} AND s.attempts = ${attempts} RETURNING s.id`)
  return row !== undefined
}

/** Makes the submissions that were on hold for the account's old credentials due now. */
export async function resumeSubmissions(db: Db, accountId: number): Promise<void> {
  await db.many(sql`
    UPDATE payout_submissions s SET due_at = now()
     WHERE s.account_id = ${accountId} AND s.account_changed AND s.due_at > now()`)
}

export function itemsToSubmit(db: Db, accountId: number, submissionId: number): Promise<RailItem[]> {
  return db.many(sql`
    SELECT i.id, i.payout_address AS address, i.amount_minor, i.currency FROM payout_items i
     WHERE i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.outcome IS NULL ORDER BY i.id`)
}

/** The state of a submission after a call. */
export interface SubmissionState {
  status: SubmissionDetail['status']
  externalId: string | null
  problem: string | null
  /** Whether the rail may have accepted it without confirming. */
  maybeSent: boolean
  /** Seconds until the next call; null for none. */
  dueInSeconds: number | null
  /** Whether the credentials are for another account than the earlier call's, so that a person has to enter the outcomes. */
  accountChanged?: boolean
}

/**
 * Records the state of a submission, if this claim is still the latest: the result of a call that outlived its lease is stale.
 * Returns whether it was.
 */
export async function recordSubmission(
  tx: Db,
  { account_id, id, attempts }: ClaimedSubmission,
  state: SubmissionState,
): Promise<boolean> {
  const row = await tx.first(sql`
    UPDATE payout_submissions s
       SET status = ${state.status}, external_id = ${state.externalId}, problem = ${state.problem},
           maybe_sent_at = CASE WHEN ${state.maybeSent} THEN s.maybe_sent_at END, account_changed = ${state.accountChanged ?? false},
           due_at = now() + ${state.dueInSeconds}::integer * interval '1 second'
     WHERE s.account_id = ${account_id} AND s.id = ${id} AND s.attempts = ${attempts} RETURNING s.id`)
  return row !== undefined
}

/** Marks items of a submission failed, each with its reason. */
export async function failItems(
  tx: Tx,
  { account_id, id }: ClaimedSubmission,
  reasons: Map<number, string>,
): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items i SET outcome = 'failed', reason = g.reason
      FROM unnest(${[...reasons.keys()]}::bigint[], ${[...reasons.values()]}::text[]) AS g (id, reason)
     WHERE i.account_id = ${account_id} AND i.submission_id = ${id} AND i.id = g.id AND i.outcome IS NULL`)
}

export async function hasItemsWithoutOutcome(
  db: Db,
  { account_id, id }: ClaimedSubmission,
): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM payout_items i
     WHERE i.account_id = ${account_id} AND i.submission_id = ${id} AND i.outcome IS NULL LIMIT 1`)
  return row !== undefined
}

export function submissionsOf(db: Db, accountId: number, payoutId: number): Promise<SubmissionDetail[]> {
  return db.many(sql`
    SELECT s.sender_batch_id, s.external_id, s.status, s.problem, s.attempts, s.due_at, s.account_changed
      FROM payout_submissions s WHERE s.account_id = ${accountId} AND s.payout_id = ${payoutId} ORDER BY s.id`)
}

export function findSubmittedItem(
  db: Db,
  accountId: number,
  payoutId: number,
  itemId: number,
): Promise<
  (SentFrom & { submission_id: number; external_id: string | null; sender_batch_id: string }) | undefined
> {
  return db.first(sql`
    SELECT s.account_id, i.submission_id, i.external_id, s.sender_batch_id, s.paying_account, s.maybe_sent_at AS sent_at
      FROM payout_items i
      JOIN payout_submissions s ON s.account_id = ${accountId} AND s.id = i.submission_id
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.id = ${itemId}
       AND i.submission_id IS NOT NULL AND i.outcome IS NULL`)
}
