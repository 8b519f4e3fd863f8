import type { Db, Tx } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { creditedOnApproval } from '../attribution/attribute.ts'
import { openReferral } from '../referrals/open-referral.ts'
import { lockCustomer } from '../referrals/referral.store.ts'
import { referralsOfCustomer } from '../referrals/referrals-of-customer.ts'
import { reportSale } from '../sales/report-sale.ts'
import { findClicksOfVisitor } from '../tracking/click.store.ts'
import { creditConversion } from './conversion.store.ts'
import {
  type CreditableRow,
  deleteIfCredited,
  deletePendingCredits,
  endLookBack,
  findCreditable,
  findFirstSale,
  findLookBacks,
  findWaitingConversions,
  type LookBack,
} from './pending-credit.store.ts'
import { suspicionsOf } from './suspicions-of.ts'

/** The clock of one run: it ends soon, so that a stop of the service does not wait for 100,000 conversions. */
const RUN_MS = 2000
/** Affiliates that take turns, and how many conversions each has in its turn. */
const AFFILIATES_AT_ONCE = 20
const CONVERSIONS_AT_ONCE = 25

/** Why the referral is looked at by a person: what was found at the conversion, and what can be found only now. */
async function reviewReasons(tx: Tx, accountId: number, row: CreditableRow, reviewsAll: boolean) {
  const candidate = row.attribution.candidates[row.place]
  const clicks =
    candidate?.click_id && candidate.clicked_at
      ? await findClicksOfVisitor(tx, accountId, candidate.click_id, candidate.clicked_at)
      : []
  const addressHash = clicks.find(({ id }) => id === candidate?.click_id)?.address_hash
  const affiliate = { id: row.affiliate_id, email: row.email, paypal_email: row.paypal_email }
  const customer = { ref: row.customer_ref, email: null, addressHash }
  const found = await suspicionsOf(tx, accountId, affiliate, customer)
  const campaign = reviewsAll ? ['the campaign reviews every referral'] : []
  return [...new Set([...row.review, ...found, ...campaign])]
}

/** Lets the first sale earn as if its conversion had been credited at once, less what was refunded. Returns why it was refused. */
async function adoptFirstSale(tx: Tx, accountId: number, row: CreditableRow): Promise<string | undefined> {
  const sale = await findFirstSale(tx, accountId, row)
  if (!sale) return undefined
  const { campaign_id, customer_ref } = row
  const request = { ...sale, customer_ref, campaign_id }
  try {
    await tx.transaction(inner => reportSale(inner, accountId, request, { adopt: true }))
    return undefined
  } catch (error) {
    // Otherwise one sale that cannot be booked would keep its referral from being credited for ever.
    if (error instanceof DomainError) return error.message
    throw error
  }
}

/** Credits one conversion in its own transaction: referral, explanation, first sale, events, and the note that goes, all or nothing. */
function creditLater(db: Db, accountId: number, conversion: { id: number; customer_ref: string }) {
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
    const review = await reviewReasons(tx, accountId, row, terms.reviewsReferrals)
    const referral = await openReferral(tx, accountId, {
      campaign_id: row.campaign_id,
      affiliate_id: row.affiliate_id,
      customer_ref: row.customer_ref,
      subscription_ref: row.subscription_ref,
      status: review.length > 0 ? 'pending_review' : 'approved',
      is_test: row.is_test,
      occurred_at: row.occurred_at,
    })
    const refused = await adoptFirstSale(tx, accountId, row)
    const attribution = {
      ...creditedOnApproval(row.attribution, row.place, row.approved_at, refused),
      review,
    }
    await creditConversion(tx, accountId, conversion.id, { referralId: referral.id, attribution })
    deletePendingCredits(tx, accountId, conversion.id)
  })
}

/** One turn of an affiliate. Returns where the next one begins; undefined when there is none. */
async function takeTurn(db: Db, lookBack: LookBack, after: number, failures: unknown[]) {
  const waiting = await findWaitingConversions(db, lookBack, after, CONVERSIONS_AT_ONCE)
  for (const conversion of waiting)
    await creditLater(db, lookBack.account_id, conversion).catch(error => failures.push(error))
  if (waiting.length === CONVERSIONS_AT_ONCE) return waiting.at(-1)?.id
  await endLookBack(db, lookBack)
  return undefined
}

/**
 * Approval looks back: credits the conversions that were not credited only because their affiliate was pending. A transaction each,
 * so that it is bounded, safe beside itself and new reports, and goes on after a crash where it was: what is not credited yet is
 * still noted. Affiliates take turns, and a conversion that fails holds up no other.
 */
export async function lookBack(db: Db, runMs = RUN_MS): Promise<void> {
  const failures: unknown[] = []
  let turns = (await findLookBacks(db, AFFILIATES_AT_ONCE)).map(each => ({ each, after: 0 }))
  const end = performance.now() + runMs
  while (turns.length > 0) {
    const next: typeof turns = []
    for (const { each, after } of turns) {
      const reached = await takeTurn(db, each, after, failures)
      if (reached !== undefined) next.push({ each, after: reached })
    }
    turns = performance.now() < end ? next : []
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} conversions could not be credited.`)
}
