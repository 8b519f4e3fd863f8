import { type Static, Type } from 'typebox'
import { Beneficiary, Commission, CommissionStatus, EntryType, UpdateCommission } from '../commission.ts'
import { Currency, closed, Id, Minor, nullable, oneOf, PlainText, Timestamp } from '../fields.ts'
import { Payout, PayoutItem } from '../payout.ts'
import { ReferralStatus } from '../referral.ts'
import { rewardFields } from './campaigns.ts'
import { ConnectorCredit } from './connectors.ts'
import { sourceQuery } from './explore.ts'
import { createdRange, reasonFields } from './referrals.ts'
import { BulkResult, change, file, ids, pageOf, pageQuery, read, searchText } from './schema.ts'
import { Sum } from './sum.ts'

export const CommissionSummary = closed({
  ...Commission.properties,
  affiliate_name: nullable(Type.String()),
  affiliate_email: Type.String(),
  campaign_name: Type.String(),
  customer_ref: nullable(Type.String()),
  /** Whether its referral was reported as a test, which is never paid. */
  is_test: Type.Boolean(),
  /** The payout that it is in, unless that failed or was canceled. */
  payout_id: nullable(Id),
})
export type CommissionSummary = Static<typeof CommissionSummary>

/** The sale behind an entry. */
export const CommissionSale = closed({
  ...Sum.properties,
  external_id: Type.String(),
  customer_ref: Type.String(),
  occurred_at: Timestamp,
  created_at: Timestamp,
})
export type CommissionSale = Static<typeof CommissionSale>

/** The rule version that created the entry. */
export const CommissionRuleUsed = closed({
  version: Type.Integer(),
  ...rewardFields,
  created_at: Timestamp,
})
export type CommissionRuleUsed = Static<typeof CommissionRuleUsed>

/** A payout that included the entry, or would have. */
export const CommissionPayout = closed({
  id: Id,
  item_id: Id,
  rail: Payout.properties.rail,
  status: PayoutItem.properties.status,
  amount_minor: Minor,
  currency: Currency,
  created_at: Timestamp,
  settled_at: nullable(Timestamp),
  reason: nullable(Type.String()),
  reference: nullable(Type.String()),
})
export type CommissionPayout = Static<typeof CommissionPayout>

const entry = Commission.properties

/** A clawback of an entry, or the adjustment that reverses it because the entry is void. */
export const CommissionClawback = closed({
  id: Id,
  entry_type: oneOf(['clawback', 'adjustment']),
  amount_minor: entry.amount_minor,
  currency: entry.currency,
  payout_amount_minor: entry.payout_amount_minor,
  payout_currency: entry.payout_currency,
  status: entry.status,
  description: entry.description,
  refund_external_id: nullable(Type.String()),
  created_at: Timestamp,
})
export type CommissionClawback = Static<typeof CommissionClawback>

export const CommissionDetail = closed({
  ...CommissionSummary.properties,
  sale: nullable(CommissionSale),
  rule: nullable(CommissionRuleUsed),
  fx: nullable(closed({ rate: Type.String(), source: nullable(Type.String()) })),
  referral: nullable(closed({ id: Id, status: ReferralStatus, flags: Type.Array(Type.String()) })),
  /** The entry that this one claws back, or whose clawbacks it reverses. */
  clawback_of: nullable(Id),
  /** The refund that caused it. */
  refund: nullable(closed({ ...Sum.properties, external_id: Type.String(), occurred_at: Timestamp })),
  voided_at: nullable(Timestamp),
  /** The refund that voided it, if any. */
  voided_by_refund: nullable(Type.String()),
  /** Newest first. */
  payouts: Type.Array(CommissionPayout),
  /** Oldest first, at most a hundred. */
  clawbacks: Type.Array(CommissionClawback),
  /** How credit was granted at a billing provider, oldest first, at most a hundred. */
  credits: Type.Array(ConnectorCredit),
})
export type CommissionDetail = Static<typeof CommissionDetail>

const filters = {
  /** Affiliate, customer, sale or number. */
  q: searchText,
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  referral_id: Type.Optional(Id),
  status: Type.Optional(CommissionStatus),
  entry_type: Type.Optional(EntryType),
  beneficiary: Type.Optional(Beneficiary),
  /** Pending, with a hold that ends within seven days. */
  clears_soon: Type.Optional(Type.Literal(true)),
  /** As reports count commissions: earned or given back, not void, without tests and what was reassigned or rejected. */
  is_counted: Type.Optional(Type.Literal(true)),
  /** What the referrals of this source earned. */
  ...sourceQuery,
  ...createdRange,
}

export const commissionsSchemas = {
  listCommissions: read(
    closed({
      ...pageOf(CommissionSummary).properties,
      /** Whether the search stands for more affiliates, customers or sales than are looked up. */
      is_partial: Type.Boolean(),
    }),
    closed({ ...pageQuery, ...filters }),
  ),
  exportCommissions: file(closed(filters)),
  getCommission: read(CommissionDetail),
  /** The reason is kept in the audit log; shared, affiliates read it on the clawback of an approved commission. */
  reviewCommissions: change(
    closed({ ids, status: UpdateCommission.properties.status, ...reasonFields }),
    BulkResult,
  ),
  /**
   * In minor units of the campaign's payout currency; negative amounts are deducted. A repeat with the same `request_id`, after a lost
   * response, returns the first entry.
   */
  adjustBalance: change(
    closed({
      affiliate_id: Id,
      campaign_id: Id,
      amount_minor: Minor,
      description: PlainText(1000),
      request_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{3,64}$' })),
    }),
    Commission,
  ),
}
