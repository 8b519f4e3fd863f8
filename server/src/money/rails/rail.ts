import type { PaymentOutcome } from '@tributary/contract'

/** One payment to send. Its id is the idempotency key. */
export interface RailItem {
  id: number
  address: string
  amount_minor: number
  currency: string
}

export interface RailBatch {
  senderBatchId: string
  items: RailItem[]
}

/**
 * A rail's response to a batch. `declined` is permanent and `busy` temporary; neither accepted anything. `unknown` may have been
 * accepted (the connection broke, or the response is inconclusive): a retry settles it. `unidentified` was accepted, but the
 * response does not contain the rail's id for it.
 */
export type SubmitResponse =
  | { kind: 'accepted'; externalId: string }
  | { kind: 'declined'; reason: string; itemReasons: Map<number, string> }
  | { kind: 'busy'; reason: string }
  | { kind: 'unknown' | 'unidentified'; reason: string }

/** A rail's report on one payment. */
export interface ItemReport {
  itemId: number
  externalId: string
  /** Null while the rail is processing it. Money that was returned after it was paid is `failed`. */
  outcome: PaymentOutcome | null
  reason: string | null
  /** The rail's transaction id, for looking the payment up there. */
  reference: string | null
}

/** A rail's report on a whole batch. It applies to every item that was not listed. */
export type BatchReport = Pick<ItemReport, 'outcome' | 'reason'>

/** A way to send payouts. Calls may fail or be repeated at any point; a rail pays each item once. */
export interface Rail {
  /**
   * A fingerprint of the paying account, stored with every submission before the call. A submission is never retried or polled
   * from another account. Rotating the same account's credentials does not change it.
   */
  readonly account: string
  submit(batch: RailBatch): Promise<SubmitResponse>
  /** The items of an accepted batch, page by page. Returns the report on the whole batch, if there is one. */
  poll(externalId: string): AsyncGenerator<ItemReport[], BatchReport | undefined>
  /** Cancels a payment that its recipient has not claimed yet, and reports its outcome either way. */
  cancel(externalItemId: string): Promise<ItemReport>
}
