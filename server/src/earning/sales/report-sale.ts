import type { CreateSale, Referral, SaleResult } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { brokenConstraint } from '../../db/failures.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { isCurrency } from '../../kit/money.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import { entriesOfSale } from '../../money/ledger/entries.ts'
import { campaignTerms, termsOf } from '../../programme/campaigns/campaign-terms.ts'
import { reportedTime } from '../occurred-at.ts'
import { findReferralReportedIn, groupOf, lockCustomer } from '../referrals/referral.store.ts'
import { referralById, referralsOfCustomer } from '../referrals/referrals-of-customer.ts'
import { type Eligibility, earn } from './earn.ts'
import { type EligibilityRow, findEligibility } from './eligibility.store.ts'
import { adoptSale, drawSale, findSale, insertSale, lockSale, type SaleRow } from './sale.store.ts'
import { termsOfSale } from './terms-of-sale.ts'

/** The customer's referral that a sale belongs to; undefined if the customer was not referred. */
async function referralOf(
  tx: Tx,
  accountId: number,
  request: CreateSale,
  referrals: Referral[],
): Promise<Referral | undefined> {
  if (request.campaign_id === undefined) {
    if (referrals.length > 1)
      throw invalid('campaign_id', 'is required because the customer was referred in several campaigns')
    return referrals[0]
  }
  const { campaign_id: named, customer_ref } = request
  const referral = referrals.find(({ campaign_id }) => campaign_id === named)
  // Reassigned to another campaign, but still reported in the one that the customer converted in.
  const reportedIn = referral ? undefined : await findReferralReportedIn(tx, accountId, named, customer_ref)
  if (reportedIn !== undefined) return referrals.find(({ id }) => id === reportedIn)
  if (!referral && !(await campaignTerms(tx, accountId, request.campaign_id)))
    throw invalid('campaign_id', 'does not match a campaign in this account')
  return referral
}

function latestBefore(referrals: Referral[], occurredAt: string): Referral | undefined {
  const before = referrals.filter(referral => referral.occurred_at <= occurredAt)
  return before.sort((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1))[0]
}

const takenId = () => conflict('external_id belongs to a sale with a different amount, currency or customer.')

/** The result for a known sale. A report that contradicts the first one is rejected: money must not be ambiguous. */
async function knownSale(tx: Tx, accountId: number, sale: SaleRow, request: CreateSale): Promise<SaleResult> {
  if (
    sale.amount_minor !== request.amount_minor ||
    sale.currency !== request.currency ||
    sale.customer_ref !== request.customer_ref
  )
    throw takenId()
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
 * earlier refunds are clawed back at once, and a later one finds the entries. It earns by the rules of when it was reported.
 */
async function adoptKnownSale(
  tx: Tx,
  accountId: number,
  known: SaleRow,
  request: CreateSale,
  eligibility: Eligibility | undefined,
): Promise<SaleResult> {
  const unchanged = await knownSale(tx, accountId, known, request)
  if (!eligibility) return unchanged
  const { referral } = eligibility
  const adopted = await adoptSale(tx, accountId, known.id, referral.id)
  // It was replaced: its customer is locked, so it has not been adopted meanwhile.
  if (!adopted) return unchanged
  const terms = await termsOfSale(tx, accountId, known.id)
  return { referral, ...(await earn(tx, accountId, adopted, { ...eligibility, terms }, undefined)) }
}

function eligibilityOf(referral: Referral, rows: EligibilityRow[]): Eligibility {
  const row = rows.find(({ id }) => id === referral.campaign_id)
  if (!row) throw new Error(`Campaign ${referral.campaign_id} of referral ${referral.id} is missing.`)
  return { referral, terms: termsOf(row), isRejected: row.is_rejected }
}

export function assertCurrency(currency: string): void {
  if (!isCurrency(currency)) throw invalid('currency', `is not an ISO 4217 code: ${currency}`)
}

/** A concurrent report for another customer took the external id: nothing of this one is kept. */
export function refuseTakenId(error: unknown): never {
  throw brokenConstraint(error) === 'sales_external_id_known' ? takenId() : error
}

/**
 * Reports a sale, idempotent by its external id. Merchants report all their sales, including those of customers who were not referred.
 * With `adopt`, for a sale reported with its conversion, an unattributed one is credited now. With `referredBefore`, for sales that arrive
 * in any order, only a referral from before the sale counts, and of several the latest. With `referralId`, that one counts.
 */
export function reportSale(
  db: Db,
  accountId: number,
  request: CreateSale,
  {
    adopt = false,
    referredBefore = false,
    referralId,
    isTest = false,
  }: { adopt?: boolean; referredBefore?: boolean; referralId?: number; isTest?: boolean } = {},
): Promise<{ created: boolean; result: SaleResult }> {
  assertCurrency(request.currency)
  const report = db.transaction(
    async tx => {
      const [, drawn, known, referrals, eligible] = await tx.inOrder(
        () => lockCustomer(tx, accountId, request.customer_ref),
        () => drawSale(tx, accountId),
        () => findSale(tx, accountId, request.external_id),
        () => referralsOfCustomer(tx, accountId, request.customer_ref),
        () => findEligibility(tx, accountId, request.customer_ref),
      )
      if (known && (known.referral_id !== null || !adopt))
        return { created: false, result: await knownSale(tx, accountId, known, request) }
      const occurredAt = reportedTime(request.occurred_at) ?? drawn.now
      const referral =
        referralId !== undefined
          ? referrals.find(({ id }) => id === referralId)
          : referredBefore
            ? latestBefore(referrals, occurredAt)
            : await referralOf(tx, accountId, request, referrals)
      const eligibility = referral && eligibilityOf(referral, eligible)
      if (known)
        return { created: false, result: await adoptKnownSale(tx, accountId, known, request, eligibility) }
      assertAmount('amount_minor', request.amount_minor)
      const sale = insertSale(tx, accountId, drawn.sale_id, {
        ...request,
        occurred_at: occurredAt,
        referral_id: referral?.id ?? null,
        is_test: isTest,
      })
      if (!eligibility)
        return { created: false, result: { referral: null, commissions: [], waiting_for: null } }
      const earned = await earn(tx, accountId, sale, eligibility, drawn)
      return { created: true, result: { referral: eligibility.referral, ...earned } }
    },
    groupOf(accountId, request.customer_ref),
  )
  return report.catch(refuseTakenId)
}

/**
 * Creates what a credited sale did not earn yet: it turned out to be the customer's first, because it replaces the one that was. Returns
 * its referral.
 */
export async function earnAgain(tx: Tx, accountId: number, externalId: string): Promise<number | null> {
  const sale = await lockSale(tx, accountId, externalId)
  if (!sale?.referral_id) return null
  const referral = await referralById(tx, accountId, sale.referral_id)
  const eligible = await findEligibility(tx, accountId, sale.customer_ref)
  const terms = await termsOfSale(tx, accountId, sale.id)
  await earn(tx, accountId, sale, { ...eligibilityOf(referral, eligible), terms }, undefined)
  return referral.id
}
