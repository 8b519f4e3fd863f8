import type { ConversionResult, CreateConversion, Referral } from '@tributary/contract'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import { entriesOfSale } from '../../money/ledger/entries.ts'
import { heldStatuses } from '../../programme/affiliates/affiliate-status.ts'
import { type CampaignTerms, campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import {
  attribute,
  type PendingCandidate,
  pendingCandidates,
  presentAttribution,
} from '../attribution/attribute.ts'
import { occurredAt } from '../occurred-at.ts'
import { openReferral } from '../referrals/open-referral.ts'
import { lockCustomer } from '../referrals/referral.store.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import type { Earned } from '../sales/earn-commissions.ts'
import { reportSale } from '../sales/report-sale.ts'
import { type ConversionRow, findConversion, linkSale, saveConversion } from './conversion.store.ts'
import { type Gathered, gatherEvidence } from './gather-evidence.ts'
import { deletePendingCredits, type PendingCredit, savePendingCredits } from './pending-credit.store.ts'
import { suspicionsOf } from './suspicions-of.ts'

interface Decided {
  decision: Omit<ExplainedAttribution, 'review'>
  gathered: Gathered
  pending: PendingCandidate[]
}

/**
 * Decides which affiliate is credited. If only pending ones could be, they are share-locked until the transaction ends: a concurrent
 * approval either waits and then looks back at this conversion, or committed first and is seen here.
 */
async function decide(
  tx: Tx,
  accountId: number,
  terms: CampaignTerms,
  request: CreateConversion,
  moment: string,
): Promise<Decided> {
  for (;;) {
    const gathered = await gatherEvidence(tx, accountId, terms, request, moment)
    const decision = attribute(gathered.evidence)
    const pending = decision.affiliate_id === null ? pendingCandidates(decision.candidates) : []
    const ids = pending.map(({ affiliateId }) => affiliateId)
    const held = ids.length > 0 ? await heldStatuses(tx, accountId, ids) : undefined
    if (ids.every(id => held?.get(id) === 'pending')) return { decision, gathered, pending }
  }
}

/** The fraud suspicions against a candidate's affiliate. */
async function suspicionsAgainst(
  tx: Tx,
  accountId: number,
  request: CreateConversion,
  { affiliates, clicks }: Gathered,
  candidate: ExplainedAttribution['candidates'][number] | undefined,
): Promise<string[]> {
  const affiliate = affiliates.get(candidate?.affiliate_id ?? 0)
  if (!affiliate) return []
  const addressHash = clicks.find(({ id }) => id === candidate?.click_id)?.address_hash
  const customer = { ref: request.customer_ref, email: request.customer_email ?? null, addressHash }
  return suspicionsOf(tx, accountId, affiliate, customer)
}

/** Decides which affiliate is credited, and stores the decision with its explanation, credited or not. */
async function credit(
  tx: Tx,
  accountId: number,
  terms: CampaignTerms,
  request: CreateConversion,
  isKnown: boolean,
): Promise<{ referral: Referral | null; attribution: ExplainedAttribution }> {
  const moment = await occurredAt(tx, request.occurred_at)
  const { decision, gathered, pending } = await decide(tx, accountId, terms, request, moment)
  const { candidates, affiliate_id } = decision
  const wonBy = candidates.find(({ outcome }) => outcome === 'won')
  const review = [
    ...(await suspicionsAgainst(tx, accountId, request, gathered, wonBy)),
    ...(wonBy && terms.reviewsReferrals ? ['the campaign reviews every referral'] : []),
  ]
  const attribution = { ...decision, review }
  const about = {
    subscription_ref: request.subscription_ref ?? null,
    is_test: request.is_test ?? false,
  }
  const referral =
    affiliate_id === null
      ? null
      : await openReferral(tx, accountId, {
          campaign_id: terms.campaign.id,
          affiliate_id,
          customer_ref: request.customer_ref,
          ...about,
          status: review.length > 0 ? 'pending_review' : 'approved',
          occurred_at: moment,
        })
  const id = await saveConversion(tx, accountId, {
    campaignId: terms.campaign.id,
    customerRef: request.customer_ref,
    referralId: referral?.id ?? null,
    attribution,
    occurredAt: moment,
  })
  if (referral && isKnown) deletePendingCredits(tx, accountId, id)
  const credits: PendingCredit[] = []
  for (const { affiliateId, place } of pending)
    credits.push({
      affiliateId,
      place,
      review: await suspicionsAgainst(tx, accountId, request, gathered, candidates[place]),
    })
  const windowMs = terms.campaign.attribution_window_days * DAY_MS
  const conversion = {
    id,
    attribution,
    subscriptionRef: about.subscription_ref,
    isTest: about.is_test,
    creditUntil: new Date(Date.parse(moment) + windowMs).toISOString(),
  }
  savePendingCredits(tx, accountId, conversion, credits)
  return { referral, attribution }
}

/** What this report's sale earned; without one, what the first report's sale earned. */
async function earnedBy(
  tx: Tx,
  accountId: number,
  request: CreateConversion,
  referral: Referral | null,
  known: ConversionRow | undefined,
): Promise<Earned> {
  const { sale, campaign_id, customer_ref, subscription_ref, occurred_at } = request
  if (!sale)
    return {
      commissions: known?.sale_id
        ? (await entriesOfSale(tx, accountId, known.sale_id)).map(presentCommission)
        : [],
      waiting_for: known?.sale_awaits_rate ? 'fx_rate' : null,
    }
  const { result } = await reportSale(
    tx,
    accountId,
    {
      ...sale,
      customer_ref,
      campaign_id,
      ...(subscription_ref !== undefined && { subscription_ref }),
      ...(occurred_at !== undefined && { occurred_at }),
    },
    { adopt: true },
  )
  // A sale earns once, in the campaign it was first reported in: here it earned nothing.
  if (result.referral?.id !== referral?.id) return { commissions: [], waiting_for: null }
  await linkSale(tx, accountId, {
    campaignId: campaign_id,
    customerRef: customer_ref,
    saleExternalId: sale.external_id,
  })
  return result
}

/**
 * Reports a conversion. A customer converts once in a campaign: reporting it again returns the first result. An included sale is handled
 * as if reported separately, idempotent by its external id; a known customer may come with another sale.
 */
export function reportConversion(
  db: Db,
  accountId: number,
  request: CreateConversion,
): Promise<{ created: boolean; result: ConversionResult }> {
  return db.transaction(async tx => {
    const terms = await campaignTerms(tx, accountId, request.campaign_id)
    if (!terms) throw invalid('campaign_id', 'does not match a campaign in this account')
    await lockCustomer(tx, accountId, request.customer_ref)
    const known = await findConversion(tx, accountId, request.campaign_id, request.customer_ref)
    const credited = known?.referral_id
      ? { referral: await referralById(tx, accountId, known.referral_id), attribution: known.attribution }
      : await credit(tx, accountId, terms, request, known !== undefined)
    const { commissions, waiting_for } = await earnedBy(tx, accountId, request, credited.referral, known)
    return {
      created: credited.referral !== null && !known?.referral_id,
      result: {
        referral: credited.referral,
        attribution: presentAttribution(credited.attribution),
        commissions,
        waiting_for,
      },
    }
  })
}
