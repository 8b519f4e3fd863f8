import { type Static, Type } from 'typebox'
import { Count, closed, Id, Minor, nullable, oneOf, PlainText, SumMinor, Timestamp } from '../fields.ts'
import { PaymentOutcome, PaymentStatus, Payout, PayoutItem, PayoutRail, PayoutStatus } from '../payout.ts'
import { exclusions, PayoutPreviewPage } from './payout-preview.ts'
import { CsvFile, change, file, ids, pageOf, pageQuery, read } from './schema.ts'

export const PayoutSummary = closed({
  ...Type.Omit(Payout, ['items']).properties,
  campaign_name: Type.String(),
  item_count: Count,
  cut_off: Timestamp,
  finished_at: nullable(Timestamp),
})
export type PayoutSummary = Static<typeof PayoutSummary>

/** How many items of a payout are in a status, and what they add up to. */
export const PayoutCount = closed({ status: PaymentStatus, items: Count, amount_minor: SumMinor })
export type PayoutCount = Static<typeof PayoutCount>

/** A batch that was given to PayPal, or is about to be. */
export const PayoutSubmission = closed({
  id: Id,
  /** The name under which PayPal knows it from us. */
  sender_batch_id: Type.String(),
  /** The name that PayPal gave it. */
  external_id: nullable(Type.String()),
  status: oneOf(['intended', 'accepted', 'refused', 'unclear']),
  problem: nullable(Type.String()),
  attempts: Count,
  /** When PayPal is asked again; null for never. */
  due_at: nullable(Timestamp),
  /** Whether it was sent from another PayPal account than the one that is set now, so that a person has to decide. */
  account_changed: Type.Boolean(),
  items: Count,
})
export type PayoutSubmission = Static<typeof PayoutSubmission>

export const PayoutDetail = closed({
  ...PayoutSummary.properties,
  digest: nullable(Type.String()),
  minimum_payout_minor: Minor,
  counts: Type.Array(PayoutCount),
  /** Items with a known outcome that is not in the ledger yet: the service books them. */
  unbooked: Count,
  /** Items whose outcome a person has to enter. */
  by_hand: Count,
  /** The first batches given to PayPal, oldest first. */
  submissions: Type.Array(PayoutSubmission),
  /** Whether the account has credentials for PayPal. */
  has_paypal: Type.Boolean(),
})
export type PayoutDetail = Static<typeof PayoutDetail>

export const PayoutItemRow = closed({
  ...PayoutItem.properties,
  email: Type.String(),
  name: nullable(Type.String()),
  payout_address: nullable(Type.String()),
  /** The outcome as far as it is known; the ledger follows within a second or two. */
  outcome: nullable(PaymentOutcome),
  /** Why it failed, or what it waits for. */
  reason: nullable(Type.String()),
  reference: nullable(Type.String()),
  /** The name that PayPal gave it. */
  external_id: nullable(Type.String()),
  settled_at: nullable(Timestamp),
  /** Whether a person may enter its outcome. */
  by_hand: Type.Boolean(),
  /** Whether PayPal can be asked to take it back, which it does as long as the receiver has not claimed it. */
  can_be_taken_back: Type.Boolean(),
})
export type PayoutItemRow = Static<typeof PayoutItemRow>

const ItemCount = closed({ items: Count })
const Note = PlainText(1000)
const run = { campaign_id: Id, rail: PayoutRail, cut_off: Type.Optional(Timestamp) }
/** Which affiliates of a dry run are wanted; all of them when left out. */
const shown = {
  only: Type.Optional(oneOf(['all', 'paid', 'excluded'])),
  reason: Type.Optional(oneOf(exclusions)),
}
const filters = {
  campaign_id: Type.Optional(Id),
  status: Type.Optional(PayoutStatus),
  rail: Type.Optional(PayoutRail),
}

export const payoutsSchemas = {
  listPayouts: read(pageOf(PayoutSummary), closed({ ...pageQuery, ...filters })),
  exportPayouts: file(closed({ order: pageQuery.order, ...filters })),
  /** Affiliates in the order of their ids; a page begins after the affiliate whose id is the cursor. */
  previewPayout: read(
    PayoutPreviewPage,
    closed({ ...run, ...shown, after: pageQuery.after, limit: pageQuery.limit }),
  ),
  exportPreview: file(closed({ ...run, ...shown })),
  getPayout: read(PayoutDetail),
  listPayoutItems: read(
    pageOf(PayoutItemRow),
    closed({ ...pageQuery, status: Type.Optional(PaymentStatus) }),
  ),
  exportPayoutItems: file(),
  /** Exactly what was previewed: otherwise 409 `conflict`. */
  createPayout: change(
    closed({
      ...run,
      digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'the digest of a preview' }),
    }),
    closed({ id: Id, items: Count, total_minor: Minor }),
  ),
  /** A manual payout, or items of it, is said to be paid; a pending one over PayPal is sent. */
  payPayout: change(closed({ item_ids: Type.Optional(ids), reference: Type.Optional(Note) }), ItemCount),
  failPayout: change(closed({ item_ids: Type.Optional(ids), reason: Note }), ItemCount),
  /** A payout that was not sent, or one item that its receiver has not claimed at PayPal. */
  cancelPayout: change(closed({ item_id: Type.Optional(Id) }), ItemCount),
  exportPayout: change(closed({ format: oneOf(['paypal', 'bank']) }), CsvFile),
}
