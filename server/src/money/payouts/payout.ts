import type { Payout, PayoutItem } from '@tributary/contract'

export type PayoutRow = Payout

/** An item with all that is known of it, for the people who pay. */
export interface ItemDetail extends PayoutItem {
  email: string
  name: string | null
  payout_address: string | null
  /** Why it failed, or what it waits for. */
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

/** How far one call to a rail has come. */
export interface SubmissionDetail {
  sender_batch_id: string
  external_id: string | null
  status: 'intended' | 'accepted' | 'refused' | 'unclear'
  problem: string | null
  attempts: number
  due_at: string | null
  /** Whether other credentials are set than those that it was sent with. */
  account_changed: boolean
}

/** What is said about items: by a person, or by a rail. */
export interface Verdict {
  outcome: 'paid' | 'failed' | 'canceled'
  reason: string | null
  reference: string | null
}
