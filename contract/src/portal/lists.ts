import { type Static, Type } from 'typebox'
import { CandidateReason } from '../attribution-reason.ts'
import { AttributionModel, Campaign } from '../campaign.ts'
import { Commission } from '../commission.ts'
import { CampaignRule } from '../dashboard/campaigns.ts'
import { Creative } from '../dashboard/creatives.ts'
import { Count, Currency, closed, Id, nullable, oneOf, SumMinor, Timestamp } from '../fields.ts'
import { AttributionCandidate } from '../ingestion.ts'
import { Payout, PayoutItem } from '../payout.ts'
import { Referral } from '../referral.ts'

const campaign_name = Type.String()

export const LinkOf = closed({
  campaign_id: Id,
  campaign_name,
  link: Type.String(),
  /** Null where the campaign has no destination yet. */
  destination_url: Campaign.properties.destination_url,
  attribution_window_days: Campaign.properties.attribution_window_days,
  /** Whether ads in search engines are against the campaign's terms. */
  forbids_paid_search: Type.Boolean(),
  rewards: Type.Array(CampaignRule),
  /** While paused, the link redirects but new customers are credited to no one. */
  is_paused: Type.Boolean(),
  /** Without bots, over the days of the list. */
  clicks: Count,
  /** Without tests and rejected referrals, over the days of the list. */
  conversions: Count,
})
export type LinkOf = Static<typeof LinkOf>

export const Links = closed({
  coupon_code: nullable(Type.String()),
  /** How many days, up to now, the clicks and conversions are counted for. */
  days: Type.Integer(),
  data: Type.Array(LinkOf),
})

/** What the affiliate promotes with. */
export const Creatives = closed({
  /** The portal's URL, which the addresses of embedded banners begin with. */
  base: Type.String(),
  data: Type.Array(Creative),
})

/** A customer as far as the company lets affiliates see: in full, masked, or not at all. */
export const ShownCustomer = nullable(Type.String())
export type ShownCustomer = Static<typeof ShownCustomer>

export const PortalReferral = closed({
  id: Id,
  campaign_name,
  customer: ShownCustomer,
  status: Referral.properties.status,
  occurred_at: Timestamp,
  /** What it has earned so far, by currency and status. */
  earned: Type.Array(
    closed({
      currency: Currency,
      status: oneOf(['pending', 'approved', 'paid']),
      amount_minor: SumMinor,
    }),
  ),
})
export type PortalReferral = Static<typeof PortalReferral>

/** A piece of evidence. For another affiliate's, it doesn't say whose it is. */
export const PortalCandidate = closed({
  source: AttributionCandidate.properties.source,
  is_mine: Type.Boolean(),
  clicked_at: AttributionCandidate.properties.clicked_at,
  outcome: AttributionCandidate.properties.outcome,
  /** Why it is credited or isn't: a code, or the stored sentence if it predates the codes. Only for the affiliate's own evidence. */
  why: Type.Optional(CandidateReason),
  reason: nullable(AttributionCandidate.properties.reason),
})
export type PortalCandidate = Static<typeof PortalCandidate>

const entry = Commission.properties

export const PortalCommission = closed({
  id: Id,
  campaign_name,
  referral_id: entry.referral_id,
  customer: ShownCustomer,
  entry_type: entry.entry_type,
  status: entry.status,
  amount_minor: entry.payout_amount_minor,
  currency: entry.payout_currency,
  /** The amount in the sale's currency, where that is another one. */
  original: nullable(closed({ amount_minor: entry.amount_minor, currency: entry.currency })),
  hold_until: entry.hold_until,
  /** Whether the company still has to review the referral. */
  in_review: Type.Boolean(),
  /** Whether it is in a payout that has not settled. */
  in_payout: Type.Boolean(),
  /** Whether it was taken back because the company credited the customer to someone else. */
  is_reassigned: Type.Boolean(),
  /** The company's note. */
  description: entry.description,
  created_at: Timestamp,
})
export type PortalCommission = Static<typeof PortalCommission>

export const PortalReferralDetail = closed({
  ...PortalReferral.properties,
  model: AttributionModel,
  window_days: Type.Integer(),
  candidates: Type.Array(PortalCandidate),
  /** The company chose the affiliate, whatever the evidence says. */
  is_credited_manually: Type.Boolean(),
  commissions: Type.Array(PortalCommission),
  /** Why the company rejected it, where it shares that. */
  rejection_reason: nullable(Type.String()),
})
export type PortalReferralDetail = Static<typeof PortalReferralDetail>

export const PortalPayout = closed({
  id: Id,
  campaign_name,
  amount_minor: PayoutItem.properties.amount_minor,
  currency: Currency,
  status: PayoutItem.properties.status,
  rail: Payout.properties.rail,
  /** Where it was sent, if PayPal sends it: a manual payment may have gone elsewhere. */
  address: nullable(Type.String()),
  reason: nullable(Type.String()),
  /** It was paid, and came back. */
  is_returned: Type.Boolean(),
  created_at: Timestamp,
  settled_at: nullable(Timestamp),
})
export type PortalPayout = Static<typeof PortalPayout>
