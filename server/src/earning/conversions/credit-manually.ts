import type { Referral } from '@tributary/contract'
import type { Assignment } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { dryRunOr } from '../../db/dry-run.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { entriesOfReferral } from '../../money/ledger/entries.ts'
import { creditedManually } from '../attribution/attribute.ts'
import { type AssignmentRequest, assignedEntry, digested, reasonFor } from '../referrals/assignment.ts'
import { creditableAffiliate } from '../referrals/creditable-affiliate.ts'
import { openReferral } from '../referrals/open-referral.ts'
import { drawReferral, lockCustomer } from '../referrals/referral.store.ts'
import { referralsOfCustomer } from '../referrals/referrals-of-customer.ts'
import { adoptSales } from '../sales/adopt-sales.ts'
import {
  creditConversion,
  findConversion,
  findConversionById,
  type UncreditedRow,
} from './conversion.store.ts'
import { deletePendingCredits } from './pending-credit.store.ts'
import { clicksOf, type KnownEmails, noEmails, suspicionsOf } from './suspicions-of.ts'
import { termsToCredit } from './terms-to-credit.ts'

export interface CreditRequest extends AssignmentRequest {
  conversion_id: number
  campaign_id: number
}

/** An unattributed conversion, once its customer is locked. The customer of a conversion never changes, so it is read before. */
async function lockUncredited(tx: Tx, accountId: number, request: CreditRequest): Promise<UncreditedRow> {
  const { conversion_id, campaign_id } = request
  const named = await findConversionById(tx, accountId, conversion_id)
  if (!named) throw notFound('conversion')
  const [, conversion, elsewhere, referrals] = await tx.inOrder(
    () => lockCustomer(tx, accountId, named.customer_ref),
    () => findConversionById(tx, accountId, conversion_id),
    () => findConversion(tx, accountId, campaign_id, named.customer_ref),
    () => referralsOfCustomer(tx, accountId, named.customer_ref),
  )
  if (!conversion) throw notFound('conversion')
  if (conversion.referral_id !== null)
    throw invalidState('The conversion is credited to an affiliate already.')
  if (referrals.some(referral => referral.campaign_id === campaign_id))
    throw invalidState('The customer has a referral in this campaign already.')
  if (elsewhere && elsewhere.id !== conversion_id)
    throw invalidState(
      elsewhere.referral_id === null
        ? 'The customer has another unattributed conversion in this campaign. Credit that one.'
        : 'The customer was referred in this campaign before.',
    )
  return conversion
}

/**
 * Credits an unattributed conversion to the affiliate that a person chose: the referral, and the commissions of its sales so far, as if it
 * had been attributed when it was reported, less refunds. A dry run does the same and rolls back. In another campaign than it was
 * reported for, it moves there. Reports about the customer wait for the same lock, and see the referral.
 */
export function creditManually(
  db: Db,
  accountId: number,
  request: CreditRequest,
  knownEmails: KnownEmails = noEmails,
): Promise<Assignment & { id: number | null }> {
  const reason = reasonFor(request)
  return dryRunOr(db, request.dry_run, async tx => {
    const conversion = await lockUncredited(tx, accountId, request)
    const { campaign_id } = request
    const terms = await termsToCredit(tx, accountId, campaign_id)
    const affiliate = await creditableAffiliate(tx, accountId, campaign_id, request.affiliate_id)
    const clickIds = clicksOf(conversion.attribution)
    const customer = { ref: conversion.customer_ref, clickIds, addressHash: null }
    const review = [
      ...(await suspicionsOf(tx, accountId, affiliate, customer, knownEmails)),
      ...(terms.reviewsReferrals ? ['the campaign reviews every referral'] : []),
    ]
    const drawn = await drawReferral(tx)
    const referral: Referral = openReferral(tx, accountId, {
      ...drawn,
      campaign_id,
      affiliate_id: affiliate.id,
      customer_ref: conversion.customer_ref,
      subscription_ref: conversion.subscription_ref,
      status: review.length > 0 ? 'pending_review' : 'approved',
      is_test: conversion.is_test ?? false,
      occurred_at: conversion.occurred_at,
    })
    const sales = await adoptSales(tx, accountId, conversion, { referral, terms, isRejected: false })
    const note = { credited_at: drawn.created_at, note: reason }
    const attribution = { ...creditedManually(conversion.attribution, affiliate.id, note), review }
    const credit = { referralId: referral.id, attribution, campaignId: campaign_id }
    await creditConversion(tx, accountId, request.conversion_id, credit)
    deletePendingCredits(tx, accountId, request.conversion_id)
    const entries = await entriesOfReferral(tx, accountId, referral.id)
    const effect = digested(request, {
      status: referral.status,
      review,
      is_test: conversion.is_test,
      ...sales,
      entries: entries.map(entry => assignedEntry(entry, 'created')),
    })
    return { id: request.dry_run ? null : referral.id, ...effect }
  })
}
