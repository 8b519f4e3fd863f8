import { Type } from 'typebox'
import {
  type Affiliate,
  AffiliateKind,
  AffiliateStatus,
  CreateAffiliate,
  UpdateAffiliate,
} from '../affiliate.ts'
import { closed, Id, oneOf, Timestamp } from '../fields.ts'
import { type BulkResult, change, file, ids, type Page, pageQuery, read, resultOf } from './schema.ts'

export interface AffiliateRowBalance {
  currency: string
  balance_minor: number
}

export interface AffiliateSummary {
  id: number
  email: string
  name: string | null
  status: Affiliate['status']
  kind: Affiliate['kind']
  tags: string[]
  campaigns: { id: number; name: string }[]
  /** What is still owed, by payout currency; without currencies in which nothing ever happened. */
  balances: AffiliateRowBalance[]
  created_at: string
}

export interface AffiliateBalance extends AffiliateRowBalance {
  pending_minor: number
  approved_minor: number
  paid_out_minor: number
  /** Credit, which is never paid out and no part of the other amounts. */
  credit_minor: number
}

export interface AffiliateEnrolment {
  campaign_id: number
  campaign_name: string
  program_type: 'affiliate' | 'referral'
  enrolled_at: string
  /** The affiliate's link of this campaign. */
  link: string
  /** Whether the campaign has a destination; without one, the link leads nowhere yet. */
  has_destination: boolean
}

/** Something that happened to an affiliate. What it is about can be opened by its kind and id. */
export interface AffiliateEvent {
  kind: 'joined' | 'enrolled' | 'referral' | 'commission' | 'payout'
  id: number
  at: string
  /** The status of a referral, a commission or a payout item. */
  status: string | null
  /** The type of a commission's entry, or the rail of a payout. */
  type: string | null
  campaign_name: string | null
  customer_ref: string | null
  amount_minor: number | null
  currency: string | null
  is_test: boolean
}

export interface AffiliateDetail extends Affiliate {
  balances: AffiliateBalance[]
  enrolments: AffiliateEnrolment[]
  /** The newest things that happened, newest first. */
  events: AffiliateEvent[]
}

export interface ImportReport {
  /** Lines below the heading that hold something. */
  lines: number
  created: number
  /** Known already, and now in the campaign too. */
  enrolled: number
  /** Known already, and in the campaign already. */
  unchanged: number
  refused: { line: number; email: string; reason: string }[]
  /** Columns that are not known here, and were left out. */
  ignored_columns: string[]
}

const MOST_IMPORTED_CHARACTERS = 2_000_000

const filters = {
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  status: Type.Optional(AffiliateStatus),
  campaign_id: Type.Optional(Id),
  kind: Type.Optional(AffiliateKind),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
}

export const affiliatesSchemas = {
  listAffiliates: read(resultOf<Page<AffiliateSummary>>(), closed({ ...pageQuery, ...filters })),
  exportAffiliates: file(closed({ order: pageQuery.order, ...filters })),
  getAffiliate: read(resultOf<AffiliateDetail>()),
  /** An email that is known already is enrolled in the campaign, and nothing else about it changes. */
  createAffiliate: change(CreateAffiliate, resultOf<{ id: number; created: boolean }>()),
  updateAffiliate: change(UpdateAffiliate, resultOf<Affiliate>()),
  reviewAffiliates: change(closed({ ids, status: oneOf(['approved', 'rejected']) }), resultOf<BulkResult>()),
  importAffiliates: change(
    closed({
      campaign_id: Id,
      csv: Type.String({ minLength: 1, maxLength: MOST_IMPORTED_CHARACTERS }),
      dry_run: Type.Boolean(),
    }),
    resultOf<ImportReport>(),
  ),
  downloadStatement: file(closed({ as_of: Type.Optional(Timestamp) })),
}
