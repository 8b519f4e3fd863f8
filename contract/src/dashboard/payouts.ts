import { Type } from 'typebox'
import { closed, Id, oneOf, PlainText, Timestamp } from '../fields.ts'
import { type Payout, type PayoutItem, PayoutItemStatus, PayoutRail, PayoutStatus } from '../payout.ts'
import { type CsvFile, change, file, ids, type Page, pageQuery, read, resultOf } from './schema.ts'

export interface PayoutSummary extends Omit<Payout, 'items'> {
  campaign_name: string
  item_count: number
  cut_off: string
  finished_at: string | null
}

/** How many items of a payout are in a status, and what they add up to. */
export interface PayoutCount {
  status: PayoutItem['status']
  items: number
  amount_minor: number
}

/** A batch that was given to PayPal, or is about to be. */
export interface PayoutSubmission {
  id: number
  /** The name under which PayPal knows it from us. */
  sender_batch_id: string
  /** The name that PayPal gave it. */
  external_id: string | null
  status: 'intended' | 'accepted' | 'refused' | 'unclear'
  problem: string | null
  attempts: number
  /** When PayPal is asked again; null for never. */
  due_at: string | null
  /** Whether it was sent from another PayPal account than the one that is set now, so that a person has to decide. */
  account_changed: boolean
  items: number
}

export interface PayoutDetail extends PayoutSummary {
  digest: string | null
  minimum_payout_minor: number
  counts: PayoutCount[]
  /** Items of which it is known what became of them, but not yet in the ledger: the service books them. */
  unbooked: number
  /** Items of which a person has to say what became of them. */
  by_hand: number
  /** The first batches given to PayPal, oldest first. */
  submissions: PayoutSubmission[]
  /** Whether the account has credentials for PayPal. */
  has_paypal: boolean
}

export interface PayoutItemRow extends PayoutItem {
  email: string
  name: string | null
  payout_address: string | null
  /** What is known to have become of it; the ledger follows within a second or two. */
  outcome: 'paid' | 'failed' | 'canceled' | null
  /** Why it failed, or what it waits for. */
  reason: string | null
  reference: string | null
  /** The name that PayPal gave it. */
  external_id: string | null
  settled_at: string | null
  /** Whether a person may say what became of it. */
  by_hand: boolean
  /** Whether PayPal can be asked to take it back, which it does as long as the receiver has not claimed it. */
  can_be_taken_back: boolean
}

export const exclusions = [
  'test_only',
  'not_approved',
  'in_review',
  'on_hold',
  'negative_balance',
  'below_minimum',
  'no_payout_address',
  'out_of_range',
] as const
/** Why an affiliate gets nothing. */
export type Exclusion = (typeof exclusions)[number]

/** What an affiliate would get, or why nothing. */
export interface PreviewRow {
  /** The affiliate's. */
  id: number
  email: string
  name: string | null
  /** Null when the affiliate gets nothing. */
  item: { amount_minor: number; payout_address: string | null; entries: number } | null
  reason: Exclusion | null
  /** Everything that is owed in this campaign: payable, on hold, in review, or on its way in another payout. */
  balance_minor: number
  payable_minor: number
  on_hold_minor: number
  in_review_minor: number
  in_payout_minor: number
}

/** A dry run. Whatever page of affiliates is asked for, the rest is about all of them. */
export interface PayoutPreviewPage extends Page<PreviewRow> {
  campaign_id: number
  rail: Payout['rail']
  currency: string
  cut_off: string
  minimum_payout_minor: number
  total_minor: number
  items: number
  excluded: Partial<Record<Exclusion, number>>
  digest: string
  has_paypal: boolean
}

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
  listPayouts: read(resultOf<Page<PayoutSummary>>(), closed({ ...pageQuery, ...filters })),
  exportPayouts: file(closed({ order: pageQuery.order, ...filters })),
  /** Affiliates in the order of their ids; a page begins after the affiliate whose id is the cursor. */
  previewPayout: read(
    resultOf<PayoutPreviewPage>(),
    closed({ ...run, ...shown, after: pageQuery.after, limit: pageQuery.limit }),
  ),
  exportPreview: file(closed({ ...run, ...shown })),
  getPayout: read(resultOf<PayoutDetail>()),
  listPayoutItems: read(
    resultOf<Page<PayoutItemRow>>(),
    closed({ ...pageQuery, status: Type.Optional(PayoutItemStatus) }),
  ),
  exportPayoutItems: file(),
  /** Exactly what was previewed: otherwise 409 `conflict`. */
  createPayout: change(
    closed({
      ...run,
      digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'the digest of a preview' }),
    }),
    resultOf<{ id: number; items: number; total_minor: number }>(),
  ),
  /** A manual payout, or items of it, is said to be paid; a pending one over PayPal is sent. */
  payPayout: change(
    closed({ item_ids: Type.Optional(ids), reference: Type.Optional(Note) }),
    resultOf<{ items: number }>(),
  ),
  failPayout: change(closed({ item_ids: Type.Optional(ids), reason: Note }), resultOf<{ items: number }>()),
  /** A payout that was not sent, or one item that its receiver has not claimed at PayPal. */
  cancelPayout: change(closed({ item_id: Type.Optional(Id) }), resultOf<{ items: number }>()),
  exportPayout: change(closed({ format: oneOf(['paypal', 'bank']) }), resultOf<CsvFile>()),
}
