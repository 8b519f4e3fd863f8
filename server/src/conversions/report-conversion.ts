import type { Attribution, ConversionResult, CreateConversion, Referral } from '@tributary/contract'
import { hasSignedInFrom } from '../affiliates/sign-in-addresses.ts'
import { attribute } from '../attribution/attribute.ts'
import { type CampaignTerms, campaignTerms } from '../campaigns/campaign-terms.ts'
import { presentCommission } from '../commissions/commission.presenter.ts'
import type { Db, Tx } from '../db/database.ts'
import { invalid } from '../kit/domain-error.ts'
import { entriesOfSale } from '../ledger/entries.ts'
import { occurredAt } from '../ledger/occurred-at.ts'
import { openReferral } from '../referrals/open-referral.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import type { Earned } from '../sales/earn-commissions.ts'
import { reportSale } from '../sales/report-sale.ts'
import {
  type ConversionRow,
  findConversion,
  keepConversion,
  lockCustomer,
  nameSale,
} from './conversion.store.ts'
import { suspicions } from './fraud-rules.ts'
import { type Gathered, gatherEvidence } from './gather-evidence.ts'

/** Why the referral should wait for a person; empty when it need not. */
async function reviewReasons(
  tx: Tx,
  accountId: number,
  terms: CampaignTerms,
  request: CreateConversion,
  { affiliates, clicks }: Gathered,
  decision: Omit<Attribution, 'review'>,
): Promise<string[]> {
  const affiliate = affiliates.get(decision.affiliate_id ?? 0)
  if (!affiliate) return []
  const wonBy = decision.candidates.find(({ outcome }) => outcome === 'won')
  const addressHash = clicks.find(({ id }) => id === wonBy?.click_id)?.address_hash
  return [
    ...suspicions({
      email: affiliate.email,
      paypalEmail: affiliate.paypal_email,
      customerEmail: request.customer_email ?? null,
      customerRef: request.customer_ref,
      clickedFromOwnAddress: addressHash
        ? await hasSignedInFrom(tx, accountId, affiliate.id, addressHash)
        : false,
    }),
    ...(terms.reviewsReferrals ? ['the campaign reviews every referral'] : []),
  ]
}

/** Decides who gets the credit and keeps the decision with its explanation, credited or not. */
async function credit(
  tx: Tx,
  accountId: number,
  terms: CampaignTerms,
  request: CreateConversion,
): Promise<{ referral: Referral | null; attribution: Attribution }> {
  const moment = await occurredAt(tx, request.occurred_at)
  const gathered = await gatherEvidence(tx, accountId, terms, request, moment)
  const decision = attribute(gathered.evidence)
  const review = await reviewReasons(tx, accountId, terms, request, gathered, decision)
  const attribution = { ...decision, review }
  const referral =
    decision.affiliate_id === null
      ? null
      : await openReferral(tx, accountId, {
          campaign_id: terms.campaign.id,
          affiliate_id: decision.affiliate_id,
          customer_ref: request.customer_ref,
          subscription_ref: request.subscription_ref ?? null,
          status: review.length > 0 ? 'pending_review' : 'approved',
          is_test: request.is_test ?? false,
          occurred_at: moment,
        })
  await keepConversion(tx, accountId, {
    campaignId: terms.campaign.id,
    customerRef: request.customer_ref,
    referralId: referral?.id ?? null,
    attribution,
    occurredAt: moment,
  })
  return { referral, attribution }
}

/** What the sale of this report earned; where it names none, what the sale of the first report did. */
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
  // A sale earns once, in the campaign that had it first: here it earned nothing.
  if (result.referral?.id !== referral?.id) return { commissions: [], waiting_for: null }
  await nameSale(tx, accountId, {
    campaignId: campaign_id,
    customerRef: customer_ref,
    saleExternalId: sale.external_id,
  })
  return result
}

/**
 * Reports a conversion. A customer is won once in a campaign: reporting it again gives what the first report gave. A sale that
 * comes with it is reported as if alone, exactly once by its external id; a known customer may bring a further one.
 */
export function reportConversion(
  db: Db,
  accountId: number,
  request: CreateConversion,
): Promise<{ created: boolean; result: ConversionResult }> {
  return db.transaction(async tx => {
    const terms = await campaignTerms(tx, accountId, request.campaign_id)
    if (!terms) throw invalid('campaign_id', 'names no campaign of this account')
    await lockCustomer(tx, accountId, request.customer_ref)
    const known = await findConversion(tx, accountId, request.campaign_id, request.customer_ref)
    const credited = known?.referral_id
      ? { referral: await referralById(tx, accountId, known.referral_id), attribution: known.attribution }
      : await credit(tx, accountId, terms, request)
    const { commissions, waiting_for } = await earnedBy(tx, accountId, request, credited.referral, known)
    return {
      created: credited.referral !== null && !known?.referral_id,
      result: { ...credited, commissions, waiting_for },
    }
  })
}
