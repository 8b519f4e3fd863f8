import type { CreateConversion } from '@tributary/contract'
import type { Tx } from '../db/database.ts'
import { flagSelfReferrals } from '../earning/conversions/flag-self-referrals.ts'
import { sameEmail } from '../earning/conversions/fraud-rules.ts'
import { reportConversion } from '../earning/conversions/report-conversion.ts'
import { keepBillingEmail } from '../earning/customers/keep-emails.ts'
import { referralsOfCustomer } from '../earning/referrals/referrals-of-customer.ts'
import { clickOfLead, emailHash } from '../earning/tracking/record-lead.ts'
import { couponCodeKey } from '../programme/affiliates/affiliate.ts'
import { findLinks, findUncreditedSales, insertEmail, isReferredElsewhere } from './billing-facts.store.ts'
import {
  type ClickedCampaign,
  type Converted,
  campaignOfAffiliate,
  campaignOfClick,
} from './campaign-of.store.ts'
import { wakeWaiting } from './connector-event.store.ts'
import { creditSales } from './credit-sale.ts'
import { emailsKnownWith } from './known-emails.ts'
import { ignored, type Outcome, placeOf, postponed, type Source } from './outcome.ts'
import type { CustomerReport } from './reading.ts'

type Evidence = Pick<CreateConversion, 'click_id' | 'token' | 'coupon_code'>

const LONGEST_NAME = 64
const asClickId = (text: string | undefined) =>
  text !== undefined && /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
    ? Number(text)
    : undefined
const asName = (text: string | undefined) =>
  text !== undefined && text.length >= 1 && text.length <= LONGEST_NAME ? text : undefined

interface Found {
  campaignId: number
  evidence: Evidence
  /** Whether it's only what a browser said, and not the merchant. */
  isLead?: true
}

interface FoundClick extends Found {
  clicked: ClickedCampaign
}

async function clickOf(
  tx: Tx,
  accountId: number,
  text: string | undefined,
  by: Converted,
): Promise<FoundClick | undefined> {
  const clickId = asClickId(text)
  const clicked = clickId === undefined ? undefined : await campaignOfClick(tx, accountId, clickId, by)
  return clickId === undefined || clicked === undefined
    ? undefined
    : { campaignId: clicked.campaign_id, evidence: { click_id: clickId }, clicked }
}

/**
 * The evidence that names something here, with its campaign. A coupon code takes precedence, as everywhere, but not over a click that can win
 * in another campaign if the code can't win in its own. A number that may be the merchant's own comes last, and alone: by chance it is the
 * click of someone else.
 */
async function evidenceOf(tx: Tx, source: Source, report: CustomerReport): Promise<Found | undefined> {
  const { account_id: accountId, campaign_id: preferred } = source.connector
  const codes = report.couponCodes ?? []
  const behind =
    codes.length > 0 ? await findLinks(tx, placeOf(source), 'code', codes) : new Map<string, string>()
  const { customer, subscription, occurredAt } = report
  const by = { customer, occurredAt }
  const click = await clickOf(tx, accountId, report.clickId, by)
  const places = { clicked: click && { campaign: click.clicked, by }, preferred }
  for (const given of codes) {
    const code = asName(behind.get(given) ?? given)
    if (code === undefined) continue
    const named = { couponCodeKey: couponCodeKey(code) }
    const campaignId = await campaignOfAffiliate(tx, accountId, named, places)
    if (campaignId === undefined) continue
    // Every renewal names the ID of the discount that the subscription began with, and its code may have changed since.
    const mayBeRenamed = behind.has(given) && subscription !== undefined
    if (
      mayBeRenamed &&
      (await isReferredElsewhere(tx, placeOf(source), { customer, subscription, campaignId }))
    )
      continue
    return { campaignId, evidence: { coupon_code: code, ...click?.evidence } }
  }
  if (click) return click
  for (const token of (report.tokens ?? []).map(asName)) {
    if (token === undefined) continue
    const campaignId = await campaignOfAffiliate(tx, accountId, { token }, { preferred })
    if (campaignId !== undefined) return { campaignId, evidence: { token } }
  }
  const lead = await leadOf(tx, source, report)
  if (!lead) return report.clickId === undefined ? clickOf(tx, accountId, report.maybeClickId, by) : undefined
  // Only for a customer without a referral: most events have an email.
  const referrals = await referralsOfCustomer(tx, accountId, report.customer)
  return referrals.length === 0 ? { ...lead, isLead: true } : undefined
}

/** The click of a visitor who left this email. */
async function leadOf(
  tx: Tx,
  { connector: { account_id: accountId }, leadKey }: Source,
  { email, leadCountsAfterSeconds, customer, occurredAt }: CustomerReport,
): Promise<Found | undefined> {
  const clickId =
    leadCountsAfterSeconds !== undefined && email && (await clickOfLead(tx, leadKey, accountId, email))
  return clickId ? clickOf(tx, accountId, `${clickId}`, { customer, occurredAt }) : undefined
}

/** Keeps the hash of a customer's email: it counts for every referral of the customer, before and after. */
async function noteEmail(tx: Tx, source: Source, { email, customer, occurredAt }: CustomerReport) {
  if (email === undefined) return
  const place = placeOf(source)
  const hash = emailHash(source.leadKey, place.accountId, email).toString('hex')
  await insertEmail(tx, place, { customer, hash, occurredAt })
}

/** Sends the customer's referrals to review whose affiliate has this email. */
const flagEmail = (tx: Tx, accountId: number, customer: string, email: string) =>
  flagSelfReferrals(tx, accountId, customer, other => sameEmail(email, other))

/** Tries to attribute the customer; if an affiliate is credited, so are the customer's sales since the purchase began. */
export async function applyCustomer(tx: Tx, source: Source, report: CustomerReport): Promise<Outcome> {
  const { account_id: accountId } = source.connector
  await noteEmail(tx, source, report)
  const found = await evidenceOf(tx, source, report)
  if (!found) {
    if (report.email !== undefined) await flagEmail(tx, accountId, report.customer, report.email)
    keepBillingEmail(tx, accountId, report.customer, report.email)
    return ignored('no_evidence')
  }
  // A customer keeps the affiliate who was credited first, so what may outweigh the lead comes before it.
  const later = found.isLead && postponed(source, report.leadCountsAfterSeconds ?? 0)
  if (later) return later
  const conversion = {
    campaign_id: found.campaignId,
    customer_ref: report.customer,
    ...found.evidence,
    ...(report.subscription !== undefined && { subscription_ref: report.subscription }),
    ...(report.email !== undefined && { customer_email: report.email }),
    ...(report.isTest && { is_test: true }),
    occurred_at: report.occurredAt,
  }
  const knownEmails = emailsKnownWith(source.leadKey)
  // Most objects are reported many times, with the same evidence.
  const { result } = await reportConversion(tx, accountId, conversion, { repeats: true, knownEmails })
  const { referral, attribution } = result
  if (!referral) return ignored('not_credited', { because: attribution.reason })
  // The customer was used for a test in this campaign: its referral is never paid.
  if (referral.is_test && !report.isTest) return ignored('test_mode')
  const since = referral.occurred_at < report.occurredAt ? referral.occurred_at : report.occurredAt
  const earlier = await findUncreditedSales(tx, placeOf(source), { customer: report.customer, since })
  await creditSales(tx, source, earlier, referral.id)
  // Test sales wait for the customer's referral.
  await wakeWaiting(tx, accountId, source.connector.id, [report.customer])
  return { status: 'applied', referralId: referral.id }
}
