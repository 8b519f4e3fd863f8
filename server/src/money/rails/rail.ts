/** One payment that a rail is asked to make. Its id is what the rail recognises a repeated request by. */
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
 * What a rail said to a batch. `declined` took nothing and never will, `busy` took nothing this time. `unknown` may have taken
 * it: the connection broke, or the answer says nothing; asking again will tell. `untold` has taken it and does not say as what.
 */
export type SubmitAnswer =
  | { kind: 'accepted'; externalId: string }
  | { kind: 'declined'; reason: string; itemReasons: Map<number, string> }
  | { kind: 'busy'; reason: string }
  | { kind: 'unknown' | 'untold'; reason: string }

/** What a rail says about one item. `returned` was paid, and the money came back. */
export interface ItemReport {
  itemId: number
  externalId: string
  state: 'processing' | 'paid' | 'failed' | 'returned' | 'canceled'
  reason: string | null
  /** The rail's own name for the payment, for whoever looks for it there. */
  reference: string | null
}

/** What a rail says of all items that it did not list. */
export type RestReport = Pick<ItemReport, 'state' | 'reason'>

/** How payouts leave the house. Calls may fail or repeat at any moment: a rail pays an item once, whatever happens. */
export interface Rail {
  /**
   * A fingerprint of the account that pays. It is kept with every submission before the call, and a submission is never repeated
   * or asked about at another account. New credentials of the same account keep it.
   */
  readonly account: string
  submit(batch: RailBatch): Promise<SubmitAnswer>
  /** All items of a batch that was accepted, page by page; at the end what holds for those that were not listed. */
  poll(externalId: string): AsyncGenerator<ItemReport[], RestReport | undefined>
  /** Takes back an item that its receiver has not claimed yet, and says what became of it. */
  cancel(externalItemId: string): Promise<ItemReport>
}
