import type { Commission } from '@tributary/contract'

/** An entry to insert. Its amounts, currencies and type never change afterwards: a correction is a new entry. */
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

/** An entry with its source, which its clawbacks copy. */
export interface SourcedEntry extends Commission {
  sale_id: number | null
  fx_rate: string | null
  fx_source: string | null
}

/** An entry of a sale, with what calculating refunds needs. */
export interface SaleEntry extends SourcedEntry {
  /** The sum of its clawbacks, as positive amounts. */
  clawed_minor: number
  clawed_payout_minor: number
  /** The sum of clawbacks that a user voided separately. */
  forgiven_minor: number
  forgiven_payout_minor: number
}
