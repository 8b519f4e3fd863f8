import type { Referral } from '@tributary/contract'
import type { Assignment } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { dryRunOr } from '../../db/dry-run.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { takeBackEntries } from '../../money/commissions/take-back-entries.ts'
import { entriesOfReferral, lockEntriesOfReferral } from '../../money/ledger/entries.ts'
import { lockPayoutsOfReferral, salesInPayouts } from '../../money/ledger/pins.ts'
import { everything } from '../../money/ledger/take-back.ts'
import { creditedManually } from '../attribution/attribute.ts'
import {
  type AssignmentRequest,
  assignedEntry,
  digested,
  reasonFor,
  takenBack,
} from '../referrals/assignment.ts'
import { creditableAffiliate } from '../referrals/creditable-affiliate.ts'
import { presentReferral } from '../referrals/referral.presenter.ts'
import { findReferral, lockCustomer, lockReferral, moveReferral } from '../referrals/referral.store.ts'
import { referralsOfCustomer } from '../referrals/referrals-of-customer.ts'
import { earnSales, MOST_SALES } from '../sales/adopt-sales.ts'
import { lockSalesOfReferral, reassignSales, type SaleRow } from '../sales/sale.store.ts'
import { findConversion, findConversionOfReferral, replaceExplanation } from './conversion.store.ts'
import { partSales } from './part-sales.ts'
import { clicksOf, type KnownEmails, noEmails, suspicionsOf } from './suspicions-of.ts'
import { termsToCredit } from './terms-to-credit.ts'

export interface ReassignRequest extends AssignmentRequest {
  referral_id: number
  campaign_id: number
}

/** The effect, and who was credited before, for the audit log. */
export interface Reassigned extends Assignment {
  before: Pick<Referral, 'affiliate_id' | 'campaign_id'>
}

/** Rejects a campaign in which the customer was referred or has converted separately. */
async function assertFree(
  tx: Tx,
  accountId: number,
  { id, customer_ref }: Referral,
  campaignId: number,
): Promise<void> {
  const others = await referralsOfCustomer(tx, accountId, customer_ref)
  if (others.some(other => other.id !== id && other.campaign_id === campaignId))
    throw invalidState('The customer has a referral in this campaign already.')
  const elsewhere = await findConversion(tx, accountId, campaignId, customer_ref)
  if (elsewhere && elsewhere.referral_id !== id)
    throw invalidState(
      elsewhere.referral_id === null
        ? 'The customer has an unattributed conversion in this campaign. Credit that one.'
        : 'The customer was referred in this campaign before.',
    )
}

/**
 * The referral and its sales, locked in the order of everything else that locks them: the customer, whose reports wait; the campaigns'
 * payouts, which take no entry in meanwhile; the sales, whose refunds and late exchange rates wait; the referral, whose review waits.
 */
async function lockAll(
  tx: Tx,
  accountId: number,
  { referral_id, affiliate_id, campaign_id }: ReassignRequest,
): Promise<{ referral: Referral; sales: SaleRow[] }> {
  const named = await findReferral(tx, accountId, referral_id)
  if (!named) throw notFound('referral')
  const [, current] = await tx.inOrder(
    () => lockCustomer(tx, accountId, named.customer_ref),
    () => findReferral(tx, accountId, referral_id),
  )
  if (!current) throw notFound('referral')
  if (current.affiliate_id === affiliate_id && current.campaign_id === campaign_id)
    throw invalidState('The referral is credited to this affiliate in this campaign already.')
  await lockPayoutsOfReferral(tx, accountId, current)
  const sales = await lockSalesOfReferral(tx, accountId, referral_id, MOST_SALES + 1)
  if (sales.length > MOST_SALES)
    throw invalidState(
      `The referral has more than ${MOST_SALES} sales, which is too many to reassign at once.`,
    )
  const referral = await lockReferral(tx, accountId, referral_id)
  if (!referral) throw notFound('referral')
  if (referral.status === 'rejected')
    throw invalidState("The referral is rejected and earns nothing, so it can't be reassigned.")
  return { referral: presentReferral(referral), sales }
}

/** Whether a person has approved this referral in this campaign, which reviews every one. */
const isReviewedIn = (campaignId: number, referral: Referral) =>
  referral.campaign_id === campaignId && referral.status === 'approved'

/**
 * Credits a referral to another affiliate, or in another campaign, at a person's request. What its sales earned is taken back and earned
 * anew under the new campaign's rules, less refunds; sales that are paid, in a payout or void stay as they are, so that none is paid
 * twice. Later sales earn for the new affiliate. Whether it needs review is decided anew: what was suspicious concerned the affiliate before.
 * A dry run does the same and rolls back.
 */
export function reassignReferral(
  db: Db,
  accountId: number,
  request: ReassignRequest,
  knownEmails: KnownEmails = noEmails,
): Promise<Reassigned> {
  const reason = reasonFor(request)
  return dryRunOr(db, request.dry_run, async tx => {
    const { campaign_id, referral_id } = request
    const { referral, sales } = await lockAll(tx, accountId, request)
    const terms = await termsToCredit(tx, accountId, campaign_id)
    const affiliate = await creditableAffiliate(tx, accountId, campaign_id, request.affiliate_id)
    if (campaign_id !== referral.campaign_id) await assertFree(tx, accountId, referral, campaign_id)

    const entries = await lockEntriesOfReferral(tx, accountId, referral_id)
    const parted = partSales(sales, entries, await salesInPayouts(tx, accountId, referral_id))
    const description = `Referral ${referral_id} was reassigned`
    await takeBackEntries(tx, accountId, parted.open, everything, { refundId: null, description })
    const written = new Set((await entriesOfReferral(tx, accountId, referral_id)).map(({ id }) => id))

    const conversion = await findConversionOfReferral(tx, accountId, referral_id)
    const clickIds = conversion ? clicksOf(conversion.attribution) : []
    const customer = { ref: referral.customer_ref, clickIds, addressHash: null }
    const review = [
      ...(await suspicionsOf(tx, accountId, affiliate, customer, knownEmails)),
      ...(terms.reviewsReferrals && !isReviewedIn(campaign_id, referral)
        ? ['the campaign reviews every referral']
        : []),
    ]
    const status = review.length > 0 ? 'pending_review' : 'approved'
    const moved = await moveReferral(tx, accountId, referral, {
      campaign_id,
      affiliate_id: affiliate.id,
      status,
    })
    if (!moved) throw notFound('referral')
    await reassignSales(
      tx,
      accountId,
      parted.moving.map(({ id }) => id),
    )
    const eligibility = { referral: presentReferral(moved), terms, isRejected: false }
    const earned = await earnSales(tx, accountId, parted.moving, eligibility)
    if (conversion) {
      const note = { credited_at: new Date().toISOString(), note: reason }
      const attribution = { ...creditedManually(conversion.attribution, affiliate.id, note), review }
      await replaceExplanation(tx, accountId, conversion.id, attribution)
    }
    const created = (await entriesOfReferral(tx, accountId, referral_id)).filter(({ id }) => !written.has(id))
    const effect = digested(request, {
      status,
      review,
      is_test: referral.is_test,
      ...earned,
      entries: [
        ...created.map(entry => assignedEntry(entry, 'created')),
        ...parted.open.map(takenBack),
        ...parted.kept.map(entry => assignedEntry(entry, 'kept')),
      ],
    })
    return {
      ...effect,
      before: { affiliate_id: referral.affiliate_id, campaign_id: referral.campaign_id },
    }
  })
}
