import type { CreateConversion, Referral } from '@tributary/contract'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type { Tx } from '../../db/database.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { heldStatuses } from '../../programme/affiliates/affiliate-status.ts'
import type { CampaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { attribute, type PendingCandidate, pendingCandidates } from '../attribution/attribute.ts'
import { openReferral } from '../referrals/open-referral.ts'
import type { DrawnConversion } from './conversion.store.ts'
import { type IsCustomer, suspicions, withFound } from './fraud-rules.ts'
import { evidenceOf, type Gathered, gatherEvidence } from './gather-evidence.ts'
import { findNotedOf, savePendingCredits } from './pending-credit.store.ts'

/** A conversion that is not credited yet, and what is known about it. */
export interface Uncredited {
  request: CreateConversion
  terms: CampaignTerms
  gathered: Gathered
  drawn: DrawnConversion
  occurredAt: string
  /** What is known of the customer's email beside the request. */
  isCustomer: IsCustomer
}

export interface Decided {
  attribution: ExplainedAttribution
  /** The affiliates that would be credited if they were approved, and why their referral would need a review. */
  pending: (PendingCandidate & { review: string[] })[]
}

type Candidate = ExplainedAttribution['candidates'][number]

/**
 * Decides which affiliate is credited, and whether that needs a review. What was found against an affiliate when the same conversion was
 * reported before still counts: a report may lack the email that an earlier one had.
 */
export async function decide(
  tx: Tx,
  accountId: number,
  uncredited: Uncredited,
  knownId: number | undefined,
): Promise<Decided> {
  const { gathered, decision, pending } = await attributed(tx, accountId, uncredited)
  const { request, terms } = uncredited
  const wonBy = decision.candidates.find(({ outcome }) => outcome === 'won')
  const mayBeNoted = knownId !== undefined && (wonBy || pending.length > 0)
  const noted = mayBeNoted ? await findNotedOf(tx, accountId, request.customer_ref) : []
  const reviewOf = (candidate: Candidate | undefined) => {
    const before = noted.find(
      row => row.conversion_id === knownId && row.affiliate_id === candidate?.affiliate_id,
    )
    return withFound(before?.review ?? [], suspicionsAgainst(uncredited, gathered, candidate))
  }
  const review = [
    ...reviewOf(wonBy),
    ...(wonBy && terms.reviewsReferrals ? ['the campaign reviews every referral'] : []),
  ]
  return {
    attribution: { ...decision, review },
    pending: pending.map(each => ({ ...each, review: reviewOf(decision.candidates[each.place]) })),
  }
}

/**
 * If only pending affiliates could be credited, they are share-locked until the transaction ends: a concurrent approval either waits and then
 * looks back at this conversion, or committed first and is seen here.
 */
async function attributed(
  tx: Tx,
  accountId: number,
  { request, terms, gathered: first, occurredAt }: Uncredited,
) {
  for (let gathered = first; ; ) {
    const decision = attribute(evidenceOf(gathered, terms, request, occurredAt))
    const pending = decision.affiliate_id === null ? pendingCandidates(decision.candidates) : []
    const ids = pending.map(({ affiliateId }) => affiliateId)
    const held = ids.length > 0 ? await heldStatuses(tx, accountId, ids) : undefined
    if (ids.every(id => held?.get(id) === 'pending')) return { gathered, decision, pending }
    gathered = await gatherEvidence(tx, accountId, request, gathered.clickId, occurredAt)
  }
}

/**
 * Whether the evidence that credits an affiliate now does so for the sale that the conversion was first reported with. A sale since then is one of
 * a referred customer. Before it, the click was made by then, and the window was open. A code or token has no time: it belongs to the sale that
 * it is reported with or, without one, to any inside the window.
 */
export async function isCreditedAt(
  tx: Tx,
  accountId: number,
  { request, terms, gathered: { clickId }, occurredAt }: Uncredited,
  affiliateId: number,
  saleAt: string,
): Promise<boolean> {
  const agoMs = Date.parse(occurredAt) - Date.parse(saleAt)
  if (agoMs <= 0) return true
  const isNamed = request.sale === undefined && agoMs <= terms.campaign.attribution_window_days * DAY_MS
  const { coupon_code: _code, token: _token, ...clickAlone } = request
  const report = isNamed ? request : clickAlone
  const gathered = await gatherEvidence(tx, accountId, report, clickId, saleAt)
  return attribute(evidenceOf(gathered, terms, report, saleAt)).affiliate_id === affiliateId
}

/** The fraud suspicions against a candidate's affiliate. */
function suspicionsAgainst(
  { request, isCustomer }: Uncredited,
  { clicks, byCouponCode, byToken }: Gathered,
  candidate: Candidate | undefined,
): string[] {
  if (!candidate) return []
  const click = clicks.find(({ click_id }) => click_id === candidate.click_id)
  const affiliate = click ?? (candidate.source === 'coupon' ? byCouponCode : byToken)
  if (!affiliate) return []
  return suspicions({
    email: affiliate.email,
    paypalEmail: affiliate.paypal_email,
    isCustomer,
    customerRef: request.customer_ref,
    clickedFromOwnAddress: click?.is_own_address ?? false,
    isHeld: affiliate.review_referrals,
  })
}

/** Creates the referral of the affiliate that is credited; null if none is. */
export function creditAffiliate(
  tx: Tx,
  accountId: number,
  { request, terms, drawn, occurredAt }: Uncredited,
  { affiliate_id, review }: ExplainedAttribution,
): Referral | null {
  if (affiliate_id === null) return null
  return openReferral(tx, accountId, {
    id: drawn.referral_id,
    campaign_id: terms.campaign.id,
    affiliate_id,
    customer_ref: request.customer_ref,
    subscription_ref: request.subscription_ref ?? null,
    status: review.length > 0 ? 'pending_review' : 'approved',
    is_test: request.is_test ?? false,
    occurred_at: occurredAt,
    created_at: drawn.created_at,
  })
}

/** Notes the pending affiliates of an unattributed conversion, for when one of them is approved. */
export function noteCandidates(
  tx: Tx,
  accountId: number,
  conversionId: number,
  { request, terms, occurredAt }: Uncredited,
  { attribution, pending }: Decided,
): void {
  const windowMs = terms.campaign.attribution_window_days * DAY_MS
  savePendingCredits(
    tx,
    accountId,
    {
      id: conversionId,
      attribution,
      subscriptionRef: request.subscription_ref ?? null,
      isTest: request.is_test ?? false,
      creditUntil: new Date(Date.parse(occurredAt) + windowMs).toISOString(),
    },
    pending,
  )
}
