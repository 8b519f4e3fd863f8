import type { CreateSale, Referral, SaleResult } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { isCurrency } from '../../kit/money.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import { entriesOfSale } from '../../money/ledger/entries.ts'
import { isRejected as isRejectedAffiliate } from '../../programme/affiliates/affiliate.store.ts'
import { type CampaignTerms, campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { reportedTime } from '../occurred-at.ts'
import { lockCustomer } from '../referrals/referral.store.ts'
import { referralById, referralsOfCustomer } from '../referrals/referrals-of-customer.ts'
import { type Earned, earnCommissions } from './earn-commissions.ts'
import { earnStoredSale } from './earn-stored-sale.ts'
import { adoptSale, explainUnearned, findSale, insertSale, type SaleRow } from './sale.store.ts'

/** The customer's referral that a sale belongs to; undefined if the customer was not referred. */
async function referralOf(
  tx: Tx,
  accountId: number,
  request: CreateSale,
  referrals: Referral[],
): Promise<Referral | undefined> {
  if (request.campaign_id !== undefined) {
    if (!(await campaignTerms(tx, accountId, request.campaign_id)))
      throw invalid('campaign_id', 'does not match a campaign in this account')
    return referrals.find(({ campaign_id }) => campaign_id === request.campaign_id)
  }
  if (referrals.length > 1)
    throw invalid('campaign_id', 'is required because the customer was referred in several campaigns')
  return referrals[0]
}

/** The result for a known sale. A report that contradicts the first one is rejected: money must not be ambiguous. */
async function knownSale(tx: Tx, accountId: number, sale: SaleRow, request: CreateSale): Promise<SaleResult> {
  if (
    sale.amount_minor !== request.amount_minor ||
    sale.currency !== request.currency ||
    sale.customer_ref !== request.customer_ref
  )
    throw conflict('external_id belongs to a sale with a different amount, currency or customer.')
  const referral = sale.referral_id === null ? null : await referralById(tx, accountId, sale.referral_id)
  const commissions = await entriesOfSale(tx, accountId, sale.id)
  return {
    referral,
    commissions: commissions.map(presentCommission),
    waiting_for: sale.awaits_rate ? 'fx_rate' : null,
  }
}

/**
 * An unattributed sale that is now reported with the conversion that credits it. Adopting it takes the row lock, as a refund does:
 * earlier refunds are clawed back at once, and a later one finds the entries.
 */
async function adoptKnownSale(
  tx: Tx,
  accountId: number,
  known: SaleRow,
  request: CreateSale,
  referral: Referral | undefined,
): Promise<SaleResult> {
  const unchanged = await knownSale(tx, accountId, known, request)
  if (!referral) return unchanged
  const [adopted, eligibility] = await tx.inOrder(
    () => adoptSale(tx, accountId, known.id, referral.id),
    () => eligibilityOf(tx, accountId, referral),
  )
  if (!adopted) throw new Error(`Sale ${known.id} was adopted while its customer was locked.`)
  return { referral, ...(await earn(tx, accountId, adopted, eligibility, earnStoredSale)) }
}

interface Eligibility {
  referral: Referral
  terms: CampaignTerms
  isRejected: boolean
}

/** What decides whether and how much a referral earns. */
async function eligibilityOf(tx: Tx, accountId: number, referral: Referral): Promise<Eligibility> {
  const [terms, isRejected] = await Promise.all([
    termsOf(tx, accountId, referral),
    isRejectedAffiliate(tx, accountId, referral.affiliate_id),
  ])
  return { referral, terms, isRejected }
}

/** What a sale earns. A rejected affiliate or referral earns nothing, and the sale stores the reason. */
async function earn(
  tx: Tx,
  accountId: number,
  sale: SaleRow,
  { referral, terms, isRejected }: Eligibility,
  earnBy: typeof earnCommissions = earnCommissions,
): Promise<Earned> {
  if (!isRejected && referral.status !== 'rejected') return earnBy(tx, accountId, sale, referral, terms)
  await explainUnearned(tx, accountId, sale.id, isRejected ? 'affiliate_rejected' : 'referral_rejected')
  return { commissions: [], waiting_for: null }
}

async function termsOf(tx: Tx, accountId: number, referral: Referral): Promise<CampaignTerms> {
  const terms = await campaignTerms(tx, accountId, referral.campaign_id)
  if (!terms) throw new Error(`Campaign ${referral.campaign_id} of referral ${referral.id} is missing.`)
  return terms
}

/**
 * Reports a sale, idempotent by its external id. Merchants report all their sales, including those of customers who were not referred.
 * With `adopt`, for a sale reported with its conversion, an unattributed one is credited now.
 */
export function reportSale(
  db: Db,
  accountId: number,
  request: CreateSale,
  { adopt = false }: { adopt?: boolean } = {},
): Promise<{ created: boolean; result: SaleResult }> {
  if (!isCurrency(request.currency)) throw invalid('currency', `is not an ISO 4217 code: ${request.currency}`)
  return db.transaction(async tx => {
    const [, known, referrals] = await tx.inOrder(
      () => lockCustomer(tx, accountId, request.customer_ref),
      () => findSale(tx, accountId, request.external_id),
      () => referralsOfCustomer(tx, accountId, request.customer_ref),
    )
    if (known && (known.referral_id !== null || !adopt))
      return { created: false, result: await knownSale(tx, accountId, known, request) }
    const referral = await referralOf(tx, accountId, request, referrals)
    if (known)
      return { created: false, result: await adoptKnownSale(tx, accountId, known, request, referral) }
    assertAmount('amount_minor', request.amount_minor)
    const [sale, eligibility] = await tx.inOrder(
      () =>
        insertSale(tx, accountId, {
          externalId: request.external_id,
          customerRef: request.customer_ref,
          subscriptionRef: request.subscription_ref ?? null,
          referralId: referral?.id ?? null,
          amountMinor: request.amount_minor,
          currency: request.currency,
          occurredAt: reportedTime(request.occurred_at),
        }),
      async () => referral && eligibilityOf(tx, accountId, referral),
    )
    // A concurrent report for another customer took the external id.
    if (!sale) throw conflict('external_id belongs to a sale with a different amount, currency or customer.')
    if (!referral || !eligibility)
      return { created: false, result: { referral: null, commissions: [], waiting_for: null } }
    const earned = await earn(tx, accountId, sale, eligibility)
    return { created: true, result: { referral, ...earned } }
  })
}
