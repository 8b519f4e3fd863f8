import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { CandidateReason, ConversionReason } from '../attribution-reason.ts'
import { Commission, CommissionStatus } from '../commission.ts'
import { Count, closed, Day, Id, Minor, nullable, oneOf, PlainText, Timestamp } from '../fields.ts'
import { Attribution, AttributionCandidate, CreateRefund, CreateSale, SaleResult } from '../ingestion.ts'
import { Referral, ReferralStatus } from '../referral.ts'
import { subscriptionStatuses } from './connector-providers.ts'
import { sourceQuery } from './explore.ts'
import { BulkResult, change, file, ids, pageOf, pageQuery, read } from './schema.ts'
import { Sum } from './sum.ts'

const { id, name, email } = Affiliate.properties
export const NamedAffiliate = closed({ id, name, email })
export type NamedAffiliate = Static<typeof NamedAffiliate>

/** Null if none was reported, or the account keeps none. */
const CustomerEmail = nullable(Type.String())

export const ReferralSummary = closed({
  ...Referral.properties,
  customer_email: CustomerEmail,
  affiliate_name: name,
  affiliate_email: email,
  campaign_name: Type.String(),
  /** Why it needed review; empty if it did not. */
  flags: Type.Array(Type.String()),
  /** The customer's payments so far, net of refunds. */
  revenue: Type.Array(Sum),
  /** The affiliate's commissions so far, net of clawbacks. */
  commissions: Type.Array(closed({ ...Sum.properties, status: CommissionStatus })),
})
export type ReferralSummary = Static<typeof ReferralSummary>

/** The stored click of a candidate, while it exists: clicks are deleted after their retention period. */
export const ClickDetail = closed({
  id: Id,
  landing_url: nullable(Type.String()),
  referrer: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  is_bot: Type.Boolean(),
})
export type ClickDetail = Static<typeof ClickDetail>

/** An attribution with its reason codes, which pages render to text. Older ones, from before the codes, have stored sentences only. */
export const ExplainedAttribution = closed({
  ...Attribution.properties,
  why: Type.Optional(ConversionReason),
  candidates: Type.Array(closed({ ...AttributionCandidate.properties, why: Type.Optional(CandidateReason) })),
})
export type ExplainedAttribution = Static<typeof ExplainedAttribution>

/** How a conversion was attributed, with the names of all candidates. */
export const Explanation = closed({
  attribution: ExplainedAttribution,
  affiliates: Type.Array(NamedAffiliate),
})
export type Explanation = Static<typeof Explanation>

export const ReferralRefund = closed({
  id: Id,
  sale_id: Id,
  external_id: Type.String(),
  amount_minor: Minor,
  occurred_at: Timestamp,
})
export type ReferralRefund = Static<typeof ReferralRefund>

export const ReferralSale = closed({
  ...Sum.properties,
  id: Id,
  external_id: Type.String(),
  occurred_at: Timestamp,
  /** It earns commission once its exchange rate is available. */
  awaits_rate: Type.Boolean(),
  /** Why it earned nothing, or why it is still pending although its exchange rate is available. */
  unearned_reason: nullable(oneOf(['affiliate_rejected', 'referral_rejected', 'amount_too_large'])),
})
export type ReferralSale = Static<typeof ReferralSale>

/** A subscription of the customer, as the billing system last reported it. */
export const ReferralSubscription = closed({
  id: Type.String(),
  provider: Type.String(),
  status: oneOf(subscriptionStatuses),
  updated_at: Timestamp,
})
export type ReferralSubscription = Static<typeof ReferralSubscription>

export const ReferralDetail = closed({
  ...ReferralSummary.properties,
  explanation: nullable(Explanation),
  clicks: Type.Array(ClickDetail),
  /** The newest ones, and whether there are more. */
  sales: Type.Array(ReferralSale),
  more_sales: Type.Boolean(),
  refunds: Type.Array(ReferralRefund),
  /** The newest ones. */
  subscriptions: Type.Array(ReferralSubscription),
  /** Why it was rejected, and whether the affiliate sees it. */
  rejection: nullable(closed({ reason: Type.String(), is_shared: Type.Boolean() })),
})
export type ReferralDetail = Static<typeof ReferralDetail>

export const UnattributedConversion = closed({
  ...Explanation.properties,
  id: Id,
  campaign_id: Id,
  campaign_name: Type.String(),
  customer_ref: Type.String(),
  customer_email: CustomerEmail,
  occurred_at: Timestamp,
  created_at: Timestamp,
  sale: nullable(closed({ ...Sum.properties, external_id: Type.String() })),
})
export type UnattributedConversion = Static<typeof UnattributedConversion>

const entry = Commission.properties

/** A ledger entry that crediting an affiliate creates, voids or keeps as it is. */
export const AssignedEntry = closed({
  change: oneOf(['created', 'voided', 'kept']),
  affiliate_id: Id,
  entry_type: entry.entry_type,
  beneficiary: entry.beneficiary,
  amount_minor: entry.payout_amount_minor,
  currency: entry.payout_currency,
  status: entry.status,
  hold_until: entry.hold_until,
  description: entry.description,
})
export type AssignedEntry = Static<typeof AssignedEntry>

/** What crediting a conversion, or moving a referral, does to the ledger. The digest identifies exactly this effect. */
export const Assignment = closed({
  digest: Type.String(),
  status: ReferralStatus,
  /** Why it needs review; empty if it doesn't. */
  review: Type.Array(Type.String()),
  /** Null if the conversion was reported before this was stored. */
  is_test: nullable(Type.Boolean()),
  sales: Count,
  /** How many of them earn once their exchange rate is available, and how many exceed the largest amount. */
  waiting_sales: Count,
  refused_sales: Count,
  entries: Type.Array(AssignedEntry),
})
export type Assignment = Static<typeof Assignment>

/** A dry run returns the effect; with its digest, the change is made only if the effect is still the same. */
const assignment = {
  affiliate_id: Id,
  /** Required unless it is a dry run. */
  reason: Type.Optional(PlainText(1000)),
  dry_run: Type.Boolean(),
  digest: Type.Optional(Type.String({ maxLength: 64 })),
}

/** Why something was rejected or voided, and whether the affiliate may read it. */
export const reasonFields = {
  reason: Type.Optional(PlainText(1000)),
  share_reason: Type.Optional(Type.Boolean()),
}

const Time = Type.Optional(Type.String({ format: 'date-time' }))
/** Timestamps, both exclusive, as in the API; or days in the account's time zone, both inclusive. */
export const createdRange = {
  created_after: Time,
  created_before: Time,
  from: Type.Optional(Day),
  until: Type.Optional(Day),
}

/** Part of the reference, which is often the customer's email. */
const CustomerRef = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }))
const filters = {
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  status: Type.Optional(ReferralStatus),
  customer_ref: CustomerRef,
  is_test: Type.Optional(Type.Boolean()),
  /** Those that reports count: without tests and rejected ones, by the day on which they occurred. */
  is_counted: Type.Optional(Type.Literal(true)),
  /** Those that a click of this source won. */
  ...sourceQuery,
  ...createdRange,
}

const unattributedFilters = {
  campaign_id: Type.Optional(Id),
  customer_ref: CustomerRef,
  /** Of the last 30 days. */
  is_recent: Type.Optional(Type.Literal(true)),
  ...createdRange,
}

export const referralsSchemas = {
  /** `needs_review` counts the account's referrals in review, up to a thousand. */
  listReferrals: read(
    closed({ ...pageOf(ReferralSummary).properties, needs_review: Count }),
    closed({ ...pageQuery, ...filters }),
  ),
  exportReferrals: file(closed(filters)),
  getReferral: read(ReferralDetail),
  reviewReferrals: change(
    closed({ ids, status: oneOf(['approved', 'rejected']), ...reasonFields }),
    BulkResult,
  ),
  /** Records a sale that was not reported, as `POST /ingest/v1/sales` does: idempotent by its external ID. */
  recordSale: change(
    closed({
      external_id: CreateSale.properties.external_id,
      amount_minor: CreateSale.properties.amount_minor,
      currency: CreateSale.properties.currency,
      occurred_at: CreateSale.properties.occurred_at,
    }),
    closed({ created: Type.Boolean(), commissions: Count, waiting_for: SaleResult.properties.waiting_for }),
  ),
  /** Records a refund of one of its sales, as `POST /ingest/v1/refunds` does; of all that is left without an amount. */
  recordRefund: change(
    closed({
      sale_id: Id,
      external_id: CreateRefund.properties.external_id,
      amount_minor: CreateRefund.properties.amount_minor,
    }),
    closed({ created: Type.Boolean(), commissions: Count }),
  ),
  /** Credits an unattributed conversion, with the sales since, to an affiliate that a person chose. Returns the ID of the referral. */
  creditConversion: change(
    closed({ conversion_id: Id, campaign_id: Id, ...assignment }),
    closed({ id: nullable(Id), ...Assignment.properties }),
  ),
  /** Credits a referral, with the sales that are not settled yet, to another affiliate or in another campaign. */
  reassignReferral: change(closed({ campaign_id: Id, ...assignment }), Assignment),
  listUnattributed: read(pageOf(UnattributedConversion), closed({ ...pageQuery, ...unattributedFilters })),
  exportUnattributed: file(closed(unattributedFilters)),
}
