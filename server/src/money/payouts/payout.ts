import type { PaymentOutcome, Payout, PayoutItem } from '@tributary/contract'

export type PayoutRow = Payout

/** A payment with every detail, for the people who send it. */
export interface ItemDetail extends PayoutItem {
  email: string
  name: string | null
  payout_address: string | null
  /** Why it failed or is still processing. */
  reason: string | null
  reference: string | null
  external_id: string | null
  settled_at: string | null
}

export interface PayoutHead extends Omit<Payout, 'items'> {
  item_count: number
  cut_off: string
  digest: string | null
  finished_at: string | null
}

/** One batch sent to a rail. */
export interface SubmissionDetail {
  sender_batch_id: string
  external_id: string | null
  status: 'intended' | 'accepted' | 'refused' | 'unclear'
  problem: string | null
  attempts: number
  due_at: string | null
  /** Whether the account's credentials are no longer the ones it was sent with. */
  account_changed: boolean
}

/** A payment's outcome as a person or a rail reports it. */
export interface ReportedOutcome {
  outcome: PaymentOutcome
  reason: string | null
  reference: string | null
}
