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
import { earnKeptSale } from './earn-kept-sale.ts'
import { adoptSale, explainUnearned, findSale, insertSale, type SaleRow } from './sale.store.ts'

/** The one of a customer's referrals that a sale belongs to; undefined where nobody referred the customer. */
async function referralOf(
  tx: Tx,
  accountId: number,
  request: CreateSale,
  referrals: Referral[],
): Promise<Referral | undefined> {
  if (request.campaign_id !== undefined) {
    if (!(await campaignTerms(tx, accountId, request.campaign_id)))
      throw invalid('campaign_id', 'names no campaign of this account')
    return referrals.find(({ campaign_id }) => campaign_id === request.campaign_id)
  }
  if (referrals.length > 1)
    throw invalid('campaign_id', 'is required: the customer was referred in several campaigns')
  return referrals[0]
}

/** The answer to a sale that is known. A report that contradicts the first one is refused: money must not be ambiguous. */
async function knownSale(tx: Tx, accountId: number, sale: SaleRow, request: CreateSale): Promise<SaleResult> {
  if (
    sale.amount_minor !== request.amount_minor ||
    sale.currency !== request.currency ||
    sale.customer_ref !== request.customer_ref
  )
    throw conflict('external_id names a sale with another amount, currency or customer.')
  const referral = sale.referral_id === null ? null : await referralById(tx, accountId, sale.referral_id)
  const commissions = await entriesOfSale(tx, accountId, sale.id)
  return {
    referral,
    commissions: commissions.map(presentCommission),
    waiting_for: sale.awaits_rate ? 'fx_rate' : null,
  }
}

/**
 * A sale that was kept for nobody, and now comes with the conversion that credits somebody. Adopting it locks it, as a refund does: what
 * was refunded of it before is taken back at once, and a later refund finds the entries.
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
  const [adopted, standing] = await tx.inOrder(
    () => adoptSale(tx, accountId, known.id, referral.id),
    () => standingOf(tx, accountId, referral),
  )
  if (!adopted) throw new Error(`Sale ${known.id} was adopted while its customer was locked.`)
  return { referral, ...(await earn(tx, accountId, adopted, standing, earnKeptSale)) }
}

interface Standing {
  referral: Referral
  terms: CampaignTerms
  isRejected: boolean
}

/** What decides whether and how much a referral earns. */
async function standingOf(tx: Tx, accountId: number, referral: Referral): Promise<Standing> {
  const [terms, isRejected] = await Promise.all([
    termsOf(tx, accountId, referral),
    isRejectedAffiliate(tx, accountId, referral.affiliate_id),
  ])
  return { referral, terms, isRejected }
}

/** What a sale earns. A rejected affiliate earns nothing any more, which the sale keeps as the reason. */
async function earn(
  tx: Tx,
  accountId: number,
  sale: SaleRow,
  { referral, terms, isRejected }: Standing,
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
 * Reports a sale, exactly once by its external id. Merchants report all their sales, also of customers nobody referred. With
 * `adopt`, for a sale that comes with its conversion, one that was kept for nobody is credited now.
 */
export function reportSale(
  db: Db,
  accountId: number,
  request: CreateSale,
  { adopt = false }: { adopt?: boolean } = {},
): Promise<{ created: boolean; result: SaleResult }> {
  if (!isCurrency(request.currency)) throw invalid('currency', `is not an ISO-4217 code: ${request.currency}`)
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
    const [sale, standing] = await tx.inOrder(
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
      async () => referral && standingOf(tx, accountId, referral),
    )
    // Another customer's report took the external id in this very moment.
    if (!sale) throw conflict('external_id names a sale with another amount, currency or customer.')
    if (!referral || !standing)
      return { created: false, result: { referral: null, commissions: [], waiting_for: null } }
    const earned = await earn(tx, accountId, sale, standing)
    return { created: true, result: { referral, ...earned } }
  })
}
