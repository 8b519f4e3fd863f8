import { type Static, Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  Minor,
  Moment,
  nullable,
  oneOf,
  PlainText,
  SumMinor,
  Timestamp,
  TimeZone,
} from '../fields.ts'
import { PaymentOutcome, PaymentStatus, Payout, PayoutItem, PayoutRail, PayoutStatus } from '../payout.ts'
import { exclusions, PayoutPreviewPage } from './payout-preview.ts'
import { CsvFile, change, file, ids, pageOf, pageQuery, read, searchText } from './schema.ts'

export const PayoutSummary = closed({
  ...Type.Omit(Payout, ['items']).properties,
  campaign_name: Type.String(),
  item_count: Count,
  cut_off: Timestamp,
  finished_at: nullable(Timestamp),
})
export type PayoutSummary = Static<typeof PayoutSummary>

/** The number and sum of a payout's payments in one status. */
export const PayoutCount = closed({ status: PaymentStatus, items: Count, amount_minor: SumMinor })
export type PayoutCount = Static<typeof PayoutCount>

/** A batch that was submitted to PayPal, or is about to be. */
export const PayoutSubmission = closed({
  id: Id,
  /** Our ID of the batch at PayPal. */
  sender_batch_id: Type.String(),
  /** The name that PayPal gave it. */
  external_id: nullable(Type.String()),
  status: oneOf(['intended', 'accepted', 'refused', 'unclear']),
  problem: nullable(Type.String()),
  attempts: Count,
  /** When PayPal is polled next; null for never. */
  due_at: nullable(Timestamp),
  /** Whether it was sent from a different PayPal account than the current one, so its outcome must be entered manually. */
  account_changed: Type.Boolean(),
  items: Count,
})
export type PayoutSubmission = Static<typeof PayoutSubmission>

export const PayoutDetail = closed({
  ...PayoutSummary.properties,
  /** The account's, in which the cut-off is shown. */
  time_zone: TimeZone,
  digest: nullable(Type.String()),
  minimum_payout_minor: Minor,
  counts: Type.Array(PayoutCount),
  /** Payments with a known outcome that the service has not booked in the ledger yet. */
  unbooked: Count,
  /** Payments whose outcome must be entered manually. */
  by_hand: Count,
  /** Payments handed over to PayPal but never sent: they can be marked failed, not paid. */
  unsent: Count,
  /** Failed payments whose commissions are in no other payout yet, up to 500. */
  retryable: Count,
  /** The first batches submitted to PayPal, oldest first. */
  submissions: Type.Array(PayoutSubmission),
  /** Whether the account has PayPal credentials. */
  has_paypal: Type.Boolean(),
  /** Whether its payment file can be in PayPal's format: PayPal doesn't pay every currency exactly. */
  has_paypal_file: Type.Boolean(),
})
export type PayoutDetail = Static<typeof PayoutDetail>

export const PayoutItemRow = closed({
  ...PayoutItem.properties,
  email: Type.String(),
  name: nullable(Type.String()),
  payout_address: nullable(Type.String()),
  /** The outcome, if known; the ledger follows within a second or two. */
  outcome: nullable(PaymentOutcome),
  /** Why it failed, or why it is still pending. */
  reason: nullable(Type.String()),
  reference: nullable(Type.String()),
  /** The name that PayPal gave it. */
  external_id: nullable(Type.String()),
  settled_at: nullable(Timestamp),
  /** Whether its outcome can be entered manually. */
  by_hand: Type.Boolean(),
  /** Whether it was handed over to PayPal but never sent: it can be marked failed, not paid. */
  is_unsent: Type.Boolean(),
  /** Whether the payment can be canceled at PayPal, which is possible until the receiver claims it. */
  can_be_taken_back: Type.Boolean(),
  /** Whether it failed and its commissions are in no other payout yet. */
  can_be_retried: Type.Boolean(),
  /** Of a failed payment: the affiliate's next payout in this campaign. */
  next_payout_id: nullable(Id),
})
export type PayoutItemRow = Static<typeof PayoutItemRow>

const ItemCount = closed({ items: Count })
const Note = PlainText(1000)
const run = { campaign_id: Id, rail: PayoutRail, cut_off: Type.Optional(Moment) }
/** Filters the affiliates of a dry run; all of them by default. */
const shown = {
  only: Type.Optional(oneOf(['all', 'paid', 'excluded'])),
  reason: Type.Optional(oneOf(exclusions)),
}
/**
 * The payments to mark: the given ones, or all that allow it. Of these, `expected` is the number that the page showed: 409 `conflict`
 * unless it is still the same.
 */
const marked = { item_ids: Type.Optional(ids), expected: Type.Optional(Count) }
const filters = {
  /** Number, campaign, affiliate or reference. */
  q: searchText,
  campaign_id: Type.Optional(Id),
  status: Type.Optional(PayoutStatus),
  rail: Type.Optional(PayoutRail),
  /** Ended in the last 30 days. */
  is_recent: Type.Optional(Type.Literal(true)),
}
const itemFilters = { status: Type.Optional(PaymentStatus), affiliate_id: Type.Optional(Id) }

export const payoutsSchemas = {
  listPayouts: read(pageOf(PayoutSummary), closed({ ...pageQuery, ...filters })),
  exportPayouts: file(closed({ order: pageQuery.order, ...filters })),
  /** Affiliates by ID; a page begins after the affiliate whose ID is the cursor. */
  previewPayout: read(
    PayoutPreviewPage,
    closed({ ...run, ...shown, after: pageQuery.after, limit: pageQuery.limit }),
  ),
  exportPreview: file(closed({ ...run, ...shown })),
  getPayout: read(PayoutDetail),
  listPayoutItems: read(pageOf(PayoutItemRow), closed({ ...pageQuery, ...itemFilters })),
  exportPayoutItems: file(closed(itemFilters)),
  /** Must match the preview exactly; otherwise 409 `conflict`. */
  createPayout: change(
    closed({
      ...run,
      digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'the digest of a preview' }),
    }),
    closed({ id: Id, items: Count, total_minor: Minor }),
  ),
  /** Sends a pending PayPal payout, or marks payments as paid. */
  payPayout: change(
    closed({ send: Type.Optional(Type.Literal(true)), ...marked, reference: Type.Optional(Note) }),
    ItemCount,
  ),
  failPayout: change(closed({ ...marked, reason: Note }), ItemCount),
  /** Cancels a payout that was not sent, or one PayPal payment that the receiver has not claimed. */
  cancelPayout: change(closed({ item_id: Type.Optional(Id) }), ItemCount),
  /** Creates a payout for the affiliates of failed payments: the given ones, or all that are still owed. */
  retryPayments: change(
    closed({ item_ids: Type.Optional(ids) }),
    closed({ id: Id, items: Count, total_minor: Minor }),
  ),
  /** Books failed payments that were made since, as a separate manual payout. */
  payFailedPayments: change(
    closed({ item_ids: ids, reference: Type.Optional(Note) }),
    closed({ id: Id, items: Count }),
  ),
  exportPayout: change(closed({ format: oneOf(['paypal', 'bank']) }), CsvFile),
}
