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
  /** Names an adjustment: one that is sent again makes no second entry. */
  request_id?: string
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
  /** What was given back after the entry had been voided, because a refund did not happen after all. */
  reinstated_minor: number
  reinstated_payout_minor: number
  /** The part of it that is still on hold. */
  reinstated_on_hold: { id: number; amount_minor: number; payout_amount_minor: number }[]
  /** What was given back and a user voided: it is not given back again. */
  waived_minor: number
  waived_payout_minor: number
}
