import { Type } from 'typebox'
import type { CommissionStatus } from '../commission.ts'
import { closed, Id, oneOf } from '../fields.ts'
import type { Attribution } from '../ingestion.ts'
import { type Referral, ReferralStatus } from '../referral.ts'
import {
  type BulkResult,
  change,
  file,
  ids,
  type Page,
  pageQuery,
  read,
  resultOf,
  type Static,
} from './schema.ts'

/** An amount of one currency: sums of several are never added up. */
export interface Sum {
  currency: string
  amount_minor: number
}

export interface NamedAffiliate {
  id: number
  name: string | null
  email: string
}

export interface ReferralSummary extends Referral {
  affiliate_name: string | null
  affiliate_email: string
  campaign_name: string
  /** Why it was held for review; empty where nothing spoke against it. */
  flags: string[]
  /** What the customer has paid so far, less refunds. */
  revenue: Sum[]
  /** What it has brought the affiliate so far, less what was taken back. */
  commissions: (Sum & { status: Static<typeof CommissionStatus> })[]
}

/** What is still known of a click that was a candidate: clicks are deleted after a time. */
export interface ClickDetail {
  id: number
  landing_url: string | null
  referrer: string | null
  user_agent: string | null
  is_bot: boolean
}

/** How a conversion was decided, with the names of everybody who was a candidate. */
export interface Explanation {
  attribution: Attribution
  affiliates: NamedAffiliate[]
}

export interface ReferralRefund {
  id: number
  sale_id: number
  external_id: string
  amount_minor: number
  occurred_at: string
}

export interface ReferralSale extends Sum {
  id: number
  external_id: string
  occurred_at: string
  /** It earns when a rate of exchange arrives. */
  awaits_rate: boolean
  /** Why it earned nothing, or why it still waits although its rate of exchange has arrived. */
  unearned_reason: 'affiliate_rejected' | 'referral_rejected' | 'amount_too_large' | null
}

export interface ReferralDetail extends ReferralSummary {
  explanation: Explanation | null
  clicks: ClickDetail[]
  /** The newest ones, and whether there are more. */
  sales: ReferralSale[]
  more_sales: boolean
  refunds: ReferralRefund[]
}

/** A customer whom nobody was credited for. */
export interface UnattributedConversion extends Explanation {
  id: number
  campaign_id: number
  campaign_name: string
  customer_ref: string
  occurred_at: string
  created_at: string
  sale: (Sum & { external_id: string }) | null
}

const Time = Type.Optional(Type.String({ format: 'date-time' }))
/** Both ends are exclusive, as in the API. */
export const createdRange = { created_after: Time, created_before: Time }

const CustomerRef = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }))
const filters = {
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  status: Type.Optional(ReferralStatus),
  customer_ref: CustomerRef,
  is_test: Type.Optional(Type.Boolean()),
  ...createdRange,
}

const unattributedFilters = {
  campaign_id: Type.Optional(Id),
  customer_ref: CustomerRef,
  ...createdRange,
}

export const referralsSchemas = {
  /** `needs_review` counts those that wait for a decision in the whole account, up to a thousand. */
  listReferrals: read(
    resultOf<Page<ReferralSummary> & { needs_review: number }>(),
    closed({ ...pageQuery, ...filters }),
  ),
  exportReferrals: file(closed(filters)),
  getReferral: read(resultOf<ReferralDetail>()),
  reviewReferrals: change(closed({ ids, status: oneOf(['approved', 'rejected']) }), resultOf<BulkResult>()),
  listUnattributed: read(
    resultOf<Page<UnattributedConversion>>(),
    closed({ ...pageQuery, ...unattributedFilters }),
  ),
  exportUnattributed: file(closed(unattributedFilters)),
}
