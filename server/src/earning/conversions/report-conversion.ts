import type { ConversionResult, CreateConversion, Referral } from '@tributary/contract'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { termsOfCampaigns } from '../../programme/campaigns/campaign-terms.ts'
import { pendingCandidates, presentAttribution } from '../attribution/attribute.ts'
import { keepReportedEmail } from '../customers/keep-emails.ts'
import { reportedTime } from '../occurred-at.ts'
import { groupOf, lockCustomer } from '../referrals/referral.store.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import { earn } from '../sales/earn.ts'
import type { Earned } from '../sales/earn-commissions.ts'
import { assertCurrency, refuseTakenId } from '../sales/report-sale.ts'
import { findSale, type SaleRow } from '../sales/sale.store.ts'
import { shareLockClicks } from '../tracking/lead.store.ts'
import { adoptReportedBefore } from './adopt-reported-before.ts'
import { adoptSinceApproval } from './adopt-since-approval.ts'
import {
  type ConversionRow,
  drawConversion,
  findConversion,
  insertConversion,
  replaceConversion,
} from './conversion.store.ts'
import {
  creditAffiliate,
  type Decided,
  decide,
  isCreditedAt,
  noteCandidates,
  type Uncredited,
} from './credit-conversion.ts'
import { findSuspects, flagSuspects } from './flag-self-referrals.ts'
import { type IsCustomer, sameEmail } from './fraud-rules.ts'
import { type Gathered, gatherEvidence, reportedClick } from './gather-evidence.ts'
import { type CreditableRow, deletePendingCredits, findCreditable } from './pending-credit.store.ts'
import { addSale, adoptOwnSale, earnedBy, NOTHING } from './sale-of-conversion.ts'
import { type KnownCustomer, type KnownEmails, lockedEmails, noEmails } from './suspicions-of.ts'

interface Reported {
  referral: Referral | null
  attribution: ExplainedAttribution
  earned: Earned
}

/**
 * Decides which affiliate is credited, and stores the decision with its explanation, credited or not. A new sale is written with it: the
 * rows refer to each other, but their ids are known, so nothing waits for the database in between.
 */
async function reportUncredited(
  tx: Tx,
  accountId: number,
  uncredited: Uncredited,
  {
    known,
    knownSale,
    repeats,
  }: { known: ConversionRow | undefined; knownSale: SaleRow | undefined; repeats: boolean },
): Promise<Reported> {
  const { request, terms, drawn } = uncredited
  const decided = await decide(tx, accountId, uncredited, known?.id)
  const { attribution } = decided
  const approved = known && (await outstandingApproval(tx, accountId, known.id, uncredited, attribution))
  const occurredAt = known && repeats ? firstTime(known, uncredited, decided) : uncredited.occurredAt
  const referral = creditAffiliate(tx, accountId, { ...uncredited, occurredAt }, attribution)
  const sale =
    request.sale && !knownSale
      ? addSale(tx, accountId, uncredited, { ...request.sale, referral_id: referral?.id ?? null })
      : undefined
  const isTest = request.is_test ?? false
  const conversion = {
    id: known?.id ?? drawn.conversion_id,
    campaignId: terms.campaign.id,
    customerRef: request.customer_ref,
    referralId: referral?.id ?? null,
    attribution,
    occurredAt,
    saleId: sale?.id ?? null,
    isTest,
    subscriptionRef: request.subscription_ref ?? null,
  }
  const wasTest = known?.is_test ?? false
  if (known) replaceConversion(tx, accountId, conversion)
  else insertConversion(tx, accountId, conversion)
  if (known && (referral || isTest !== wasTest)) deletePendingCredits(tx, accountId, known.id)
  noteCandidates(tx, accountId, conversion.id, { ...uncredited, occurredAt }, decided)
  return { referral, attribution, earned: await earned() }

  async function earned(): Promise<Earned> {
    // Only an approved affiliate is credited.
    const eligibility = referral && { referral, terms, isRejected: false }
    const ownId = eligibility && !approved ? await creditedOwnSale(eligibility.referral) : undefined
    // A report that repeats what it said before, or doesn't say when the customer converted, isn't before any sale.
    const isEarlier = eligibility && !approved && !repeats && !isTest && request.occurred_at !== undefined
    if (eligibility && approved) await adoptSinceApproval(tx, accountId, approved, eligibility.referral)
    if (isEarlier) await adoptEarlier(eligibility.referral, ownId)
    // Before the sale of this report, which is not the first.
    const own =
      eligibility && ownId !== undefined && !isEarlier
        ? await adoptOwnSale(tx, accountId, ownId, eligibility)
        : undefined
    if (sale) return eligibility ? earn(tx, accountId, sale, eligibility, drawn) : NOTHING
    if (own && !request.sale) return own
    const current =
      approved || isEarlier
        ? await findConversion(tx, accountId, terms.campaign.id, request.customer_ref)
        : known
    return earnedBy(tx, accountId, request, referral, current)
  }

  /** The sale of an earlier report, if the evidence counts for it too; undefined if it doesn't, or this report repeats the sale. */
  async function creditedOwnSale({ affiliate_id }: Referral): Promise<number | undefined> {
    if (known?.sale_id == null || known.sale_occurred_at === null || knownSale?.id === known.sale_id)
      return undefined
    const isCredited =
      isTest === wasTest &&
      (await isCreditedAt(tx, accountId, uncredited, affiliate_id, known.sale_occurred_at))
    return isCredited ? known.sale_id : undefined
  }

  /** Credits the sales since the conversion that were reported before it, with the ones that this report and an earlier one bring. */
  function adoptEarlier(referral: Referral, ownId: number | undefined): Promise<void> {
    const { campaign_id, customer_ref } = request
    const named = knownSale?.customer_ref === customer_ref ? knownSale.id : undefined
    const except = wasTest ? known?.sale_id : null
    const since = { campaign_id, customer_ref, is_test: isTest, occurred_at: occurredAt, except }
    return adoptReportedBefore(tx, accountId, since, referral, { ownId, named })
  }
}

/**
 * The approval that this report is ahead of: the look-back would have credited the conversion to the same affiliate, with its first sale and
 * those since the approval, and finds it credited. Undefined if there is none.
 */
async function outstandingApproval(
  tx: Tx,
  accountId: number,
  conversionId: number,
  { terms, request }: Uncredited,
  { affiliate_id: credited }: ExplainedAttribution,
): Promise<CreditableRow | undefined> {
  if (credited === null || !terms.looksBack) return undefined
  const row = await findCreditable(tx, accountId, conversionId)
  const isSame = row?.affiliate_id === credited && row.is_test === (request.is_test ?? false)
  return isSame && row.is_in_time ? row : undefined
}

/**
 * When an unattributed conversion happened that is reported again: as early as it was first reported, so that its sales since then are
 * credited when an affiliate is. Unless another affiliate is pending or credited now, who was not pending then, or the campaign would not
 * look back so far: the affiliate may be approved, and the look-back still to come.
 */
function firstTime(
  known: ConversionRow,
  { occurredAt, terms }: Uncredited,
  { pending, attribution: { affiliate_id: credited } }: Decided,
): string {
  const before = pendingCandidates(known.attribution.candidates).map(({ affiliateId }) => affiliateId)
  const named = credited === null ? pending.map(({ affiliateId }) => affiliateId) : [credited]
  const windowMs = terms.campaign.attribution_window_days * DAY_MS
  const looksBack =
    credited === null ||
    (terms.looksBack && Date.parse(occurredAt) <= Date.parse(known.occurred_at) + windowMs)
  const isRepeated = looksBack && named.every(id => before.includes(id))
  return isRepeated && known.occurred_at < occurredAt ? known.occurred_at : occurredAt
}

/** What the visitor left with other clicks than the reported one. */
async function emailsOfOtherClicks(
  tx: Tx,
  accountId: number,
  { ref, clickIds }: KnownCustomer,
  { clicks }: Gathered,
  knownEmails: KnownEmails,
): Promise<IsCustomer> {
  const others = clicks.map(({ click_id }) => click_id).filter(id => !clickIds.includes(id))
  if (others.length === 0) return () => false
  return lockedEmails(tx, accountId, { ref, clickIds: others }, knownEmails)
}

/**
 * Reports a conversion. A customer converts once in a campaign: reporting it again returns the first result. An included sale is handled
 * as if reported separately, idempotent by its external id; a known customer may come with another sale. With `repeats`, for reports
 * that repeat what they said before, an unattributed conversion keeps its first time. `knownEmails` is what is known of the customer's emails
 * beside the request.
 */
export function reportConversion(
  db: Db,
  accountId: number,
  request: CreateConversion,
  { repeats = false, knownEmails = noEmails }: { repeats?: boolean; knownEmails?: KnownEmails } = {},
): Promise<{ created: boolean; result: ConversionResult }> {
  const { campaign_id, customer_ref, customer_email: given, sale } = request
  if (sale) assertCurrency(sale.currency)
  const clickId = reportedClick(request)
  const customer = { ref: customer_ref, clickIds: clickId === undefined ? [] : [clickId] }
  const reportedAt = reportedTime(request.occurred_at)
  const report = db.transaction(
    async tx => {
      const [, , drawn, before, knownSale, terms, gathered, suspects, isKnown] = await tx.inOrder(
        () => lockCustomer(tx, accountId, customer_ref),
        async () => clickId && tx.readItem(shareLockClicks, accountId, [clickId]),
        () => drawConversion(tx, accountId),
        () => findConversion(tx, accountId, campaign_id, customer_ref),
        async () => sale && findSale(tx, accountId, sale.external_id),
        () => tx.readItem(termsOfCampaigns, accountId, campaign_id),
        () => gatherEvidence(tx, accountId, request, clickId, reportedAt),
        async () => (given ? findSuspects(tx, accountId, customer_ref) : undefined),
        () => knownEmails(tx, accountId, customer),
      )
      if (!terms) throw invalid('campaign_id', 'does not match a campaign in this account')
      const occurredAt = reportedAt ?? drawn.now
      const isOfVisitor = await emailsOfOtherClicks(tx, accountId, customer, gathered, knownEmails)
      const isCustomer: IsCustomer = email =>
        (given ? sameEmail(given, email) : false) || isKnown(email) || isOfVisitor(email)
      // The email may have been unknown when the customer was referred.
      const isFlagged = suspects && (await flagSuspects(tx, accountId, customer_ref, suspects, isCustomer))
      const known = isFlagged ? await findConversion(tx, accountId, campaign_id, customer_ref) : before
      const uncredited = { request, terms, gathered, drawn, occurredAt, isCustomer }
      const { referral, attribution, earned } = known?.referral_id
        ? await reportCredited(tx, accountId, request, { ...known, referral_id: known.referral_id }, repeats)
        : known && request.is_test && !known.is_test
          ? await unchanged(tx, accountId, request, known, null)
          : await reportUncredited(tx, accountId, uncredited, { known, knownSale, repeats })
      // Last: in a group commit, rows of one table share a statement up to the first statement of another kind.
      keepReportedEmail(tx, accountId, request, clickId)
      return {
        created: referral !== null && !known?.referral_id,
        result: { referral, attribution: presentAttribution(attribution), ...earned },
      }
    },
    groupOf(accountId, customer_ref),
  )
  return report.catch(refuseTakenId)
}

/**
 * A test takes nothing from a live conversion, nor the other way round: a live one can't be credited to a test's referral. With `repeats`, it isn't
 * refused, because the events of a customer who was used for a test would all fail.
 */
async function reportCredited(
  tx: Tx,
  accountId: number,
  request: CreateConversion,
  known: ConversionRow & { referral_id: number },
  repeats: boolean,
): Promise<Reported> {
  const referral = await referralById(tx, accountId, known.referral_id)
  const isTest = request.is_test ?? false
  if (isTest && !referral.is_test) return unchanged(tx, accountId, request, known, referral)
  if (!isTest && referral.is_test && !repeats)
    throw conflict(
      'The customer was credited by a test in this campaign. Send is_test, or report live conversions with another customer_ref.',
    )
  const earned = await earnedBy(tx, accountId, request, referral, known)
  return { referral, attribution: known.attribution, earned }
}

/** The first result of a live conversion, for a test about the same customer. Its sale is not stored. */
async function unchanged(
  tx: Tx,
  accountId: number,
  { sale: _, ...request }: CreateConversion,
  known: ConversionRow,
  referral: Referral | null,
): Promise<Reported> {
  const earned = await earnedBy(tx, accountId, request, referral, known)
  return { referral, attribution: known.attribution, earned }
}
