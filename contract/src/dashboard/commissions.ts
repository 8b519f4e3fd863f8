import { Type } from 'typebox'
import { Beneficiary, type Commission, CommissionStatus, EntryType, UpdateCommission } from '../commission.ts'
import { closed, Id, Minor, PlainText } from '../fields.ts'
import type { Payout, PayoutItem } from '../payout.ts'
import type { Referral } from '../referral.ts'
import { createdRange, type Sum } from './referrals.ts'
import { type BulkResult, change, file, ids, type Page, pageQuery, read, resultOf } from './schema.ts'

export interface CommissionSummary extends Commission {
  affiliate_name: string | null
  affiliate_email: string
  campaign_name: string
  customer_ref: string | null
  /** Of a referral that was reported as a test: never paid. */
  is_test: boolean
}

/** The sale that an entry comes from. */
export interface CommissionSale extends Sum {
  external_id: string
  customer_ref: string
  occurred_at: string
  created_at: string
}

/** The rule that made the entry, as it was then. */
export interface CommissionRuleUsed {
  version: number
  rate_basis_points: number | null
  flat_minor: number | null
  flat_currency: string | null
  /** 0 is the first sale alone, null as long as the customer pays. */
  recurring_months: number | null
  created_at: string
}

/** A payout that took the entry up, or would have. */
export interface CommissionPayout {
  id: number
  item_id: number
  rail: Payout['rail']
  status: PayoutItem['status']
  amount_minor: number
  currency: string
  created_at: string
  settled_at: string | null
  reason: string | null
  reference: string | null
}

/** What was taken back of an entry, or returned by an adjustment because the entry is void. */
export interface CommissionClawback {
  id: number
  entry_type: Extract<Commission['entry_type'], 'clawback' | 'adjustment'>
  amount_minor: number
  currency: string
  payout_amount_minor: number
  payout_currency: string
  status: Commission['status']
  description: string | null
  refund_external_id: string | null
  created_at: string
}

export interface CommissionDetail extends CommissionSummary {
  sale: CommissionSale | null
  rule: CommissionRuleUsed | null
  fx: { rate: string; source: string | null } | null
  referral: (Pick<Referral, 'id' | 'status'> & { flags: string[] }) | null
  /** The entry that this one takes back from, or whose clawbacks it balances. */
  clawback_of: number | null
  /** The refund that made this one. */
  refund: (Sum & { external_id: string; occurred_at: string }) | null
  voided_at: string | null
  /** The refund that voided it, where it was one. */
  voided_by_refund: string | null
  /** Newest first. */
  payouts: CommissionPayout[]
  /** Oldest first, at most a hundred. */
  clawbacks: CommissionClawback[]
}

const filters = {
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  referral_id: Type.Optional(Id),
  status: Type.Optional(CommissionStatus),
  entry_type: Type.Optional(EntryType),
  beneficiary: Type.Optional(Beneficiary),
  ...createdRange,
}

export const commissionsSchemas = {
  listCommissions: read(resultOf<Page<CommissionSummary>>(), closed({ ...pageQuery, ...filters })),
  exportCommissions: file(closed(filters)),
  getCommission: read(resultOf<CommissionDetail>()),
  reviewCommissions: change(
    closed({ ids, status: UpdateCommission.properties.status }),
    resultOf<BulkResult>(),
  ),
  /** In minor units of the campaign's payout currency; below zero takes away. */
  adjustBalance: change(
    closed({
      affiliate_id: Id,
      campaign_id: Id,
      amount_minor: Minor,
      description: PlainText(1000),
    }),
    resultOf<Commission>(),
  ),
}
