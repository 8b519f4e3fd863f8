import type { Db, Tx } from '../../db/database.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { creditedOnApproval } from '../attribution/attribute.ts'
import { openReferral } from '../referrals/open-referral.ts'
import { drawReferral, lockCustomer } from '../referrals/referral.store.ts'
import { referralsOfCustomer } from '../referrals/referrals-of-customer.ts'
import { findClicksOfVisitor } from '../tracking/click.store.ts'
import { adoptSinceApproval } from './adopt-since-approval.ts'
import { creditConversion } from './conversion.store.ts'
import { withFound } from './fraud-rules.ts'
import {
  type CreditableRow,
  deleteIfCredited,
  deleteLookBack,
  deletePendingCredits,
  findCreditable,
  findLookBacks,
  findWaitingConversions,
  type LookBack,
} from './pending-credit.store.ts'
import { clicksOf, type KnownEmails, suspicionsOf } from './suspicions-of.ts'

/** The time limit of one run, so that stopping the service does not wait for 100,000 conversions. */
const RUN_MS = 2000
/** Affiliates are processed round-robin, a batch of conversions at a time. */
const MAX_AFFILIATES = 20
const BATCH_SIZE = 25

/** Why the referral needs a review: what was found when the conversion was reported, and what can only be found now. */
async function reviewReasons(
  tx: Tx,
  accountId: number,
  row: CreditableRow,
  { knownEmails, reviewsAll }: { knownEmails: KnownEmails; reviewsAll: boolean },
) {
  const candidate = row.attribution.candidates[row.place]
  const clicks =
    candidate?.click_id && candidate.clicked_at
      ? await findClicksOfVisitor(tx, accountId, candidate.click_id, candidate.clicked_at)
      : []
  const addressHash = clicks.find(({ id }) => id === candidate?.click_id)?.address_hash
  const { affiliate_id: id, email, paypal_email, review_referrals } = row
  const affiliate = { id, email, paypal_email, review_referrals }
  const customer = { ref: row.customer_ref, clickIds: clicksOf(row.attribution), addressHash }
  const found = await suspicionsOf(tx, accountId, affiliate, customer, knownEmails)
  const campaign = reviewsAll ? ['the campaign reviews every referral'] : []
  return withFound(row.review, [...found, ...campaign])
}

/** Credits one conversion atomically: referral, explanation, first sale and those since the approval, events, and the removal of its pending credits. */
function creditLater(
  db: Db,
  accountId: number,
  conversion: { id: number; customer_ref: string },
  knownEmails: KnownEmails,
) {
  return db.transaction(async tx => {
    const [, row, referrals] = await tx.inOrder(
      () => lockCustomer(tx, accountId, conversion.customer_ref),
      () => findCreditable(tx, accountId, conversion.id),
      () => referralsOfCustomer(tx, accountId, conversion.customer_ref),
    )
    if (!row) return deleteIfCredited(tx, accountId, conversion.id)
    if (referrals.some(({ campaign_id }) => campaign_id === row.campaign_id))
      return deletePendingCredits(tx, accountId, conversion.id)
    const terms = await campaignTerms(tx, accountId, row.campaign_id)
    if (!terms?.looksBack || !row.is_in_time)
      return deletePendingCredits(tx, accountId, conversion.id, row.affiliate_id)
    const review = await reviewReasons(tx, accountId, row, {
      knownEmails,
      reviewsAll: terms.reviewsReferrals,
    })
    const referral = openReferral(tx, accountId, {
      ...(await drawReferral(tx)),
      campaign_id: row.campaign_id,
      affiliate_id: row.affiliate_id,
      customer_ref: row.customer_ref,
      subscription_ref: row.subscription_ref,
      status: review.length > 0 ? 'pending_review' : 'approved',
      is_test: row.is_test,
      occurred_at: row.occurred_at,
    })
    const rejection = await adoptSinceApproval(tx, accountId, row, referral)
    const attribution = {
      ...creditedOnApproval(row.attribution, row.place, row.approved_at, rejection),
      review,
    }
    await creditConversion(tx, accountId, conversion.id, { referralId: referral.id, attribution })
    deletePendingCredits(tx, accountId, conversion.id)
  })
}

/** Processes one batch of an affiliate. Returns the cursor of the next one; undefined if there is none. */
async function creditBatch(
  { db, knownEmails }: { db: Db; knownEmails: KnownEmails },
  lookBack: LookBack,
  after: number,
  failures: unknown[],
) {
  const waiting = await findWaitingConversions(db, lookBack, after, BATCH_SIZE)
  for (const conversion of waiting)
    await creditLater(db, lookBack.account_id, conversion, knownEmails).catch(error => failures.push(error))
  if (waiting.length === BATCH_SIZE) return waiting.at(-1)?.id
  await deleteLookBack(db, lookBack)
  return undefined
}

/**
 * After an approval, credits the conversions that were unattributed only because their affiliate was pending. One transaction each: safe
 * to run concurrently with itself and with new reports, and it resumes after a crash, because a pending credit is deleted only when its
 * conversion is credited. Affiliates are processed round-robin, and a conversion that fails does not block the others.
 */
export async function lookBack(db: Db, knownEmails: KnownEmails, runMs = RUN_MS): Promise<void> {
  const failures: unknown[] = []
  let queue = (await findLookBacks(db, MAX_AFFILIATES)).map(each => ({ each, after: 0 }))
  const deadline = performance.now() + runMs
  while (queue.length > 0) {
    const next: typeof queue = []
    for (const { each, after } of queue) {
      const cursor = await creditBatch({ db, knownEmails }, each, after, failures)
      if (cursor !== undefined) next.push({ each, after: cursor })
    }
    queue = performance.now() < deadline ? next : []
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Failed to credit ${failures.length} conversions.`)
}
