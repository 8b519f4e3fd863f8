import type { Commission } from '@tributary/contract'

/** An entry to be written. Amounts, currencies and type are final from then on: a correction is a new entry. */
export interface NewEntry {
  campaign_id: number
  affiliate_id: number
  referral_id: number | null
  entry_type: Commission['entry_type']
  beneficiary: Commission['beneficiary']
  amount_minor: bigint
  currency: string
  payout_amount_minor: bigint
  payout_currency: string
  status: Extract<Commission['status'], 'pending' | 'approved' | 'paid'>
  hold_until: string | null
  description: string | null
  sale_id?: number | null
  rule_version?: number | null
  clawback_of?: number | null
  refund_id?: number | null
  fx_rate?: string | null
  fx_source?: string | null
}

/** An entry with where it comes from, which whatever takes some of it back copies. */
export interface SourcedEntry extends Commission {
  sale_id: number | null
  fx_rate: string | null
  fx_source: string | null
}

/** What the arithmetic of refunds needs of an entry that a sale made. */
export interface SaleEntry extends SourcedEntry {
  /** What its clawbacks take back, as positive amounts. */
  clawed_minor: number
  clawed_payout_minor: number
  /** What a refund took back and a person forgave, by voiding the clawback alone. */
  forgiven_minor: number
  forgiven_payout_minor: number
}
