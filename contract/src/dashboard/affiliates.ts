import { type Static, Type } from 'typebox'
import { Affiliate, AffiliateKind, AffiliateStatus, CreateAffiliate, UpdateAffiliate } from '../affiliate.ts'
import { ProgramType } from '../campaign.ts'
import {
  Count,
  Currency,
  closed,
  Id,
  Minor,
  Moment,
  nullable,
  oneOf,
  SumMinor,
  Timestamp,
} from '../fields.ts'
import { CampaignStatus } from './campaigns.ts'
import { ExploredSums, ListedPeriod, performanceQuery } from './explore.ts'
import { reasonFields } from './referrals.ts'
import { BulkResult, change, file, ids, pageOf, pageQuery, read, searchText } from './schema.ts'

export const AffiliateRowBalance = closed({ currency: Currency, balance_minor: SumMinor })
export type AffiliateRowBalance = Static<typeof AffiliateRowBalance>

const { id, email, name, status, kind, tags, created_at } = Affiliate.properties

export const AffiliateSummary = closed({
  id,
  email,
  name,
  status,
  kind,
  tags,
  campaigns: Type.Array(closed({ id: Id, name: Type.String() })),
  /** Whether they answered questions when they joined. */
  has_answers: Type.Boolean(),
  /** The balance in each payout currency that has entries. */
  balances: Type.Array(AffiliateRowBalance),
  /** In the list's period, and in its campaign if it is filtered by one; null without a period. */
  performance: nullable(ExploredSums),
  created_at,
})
export type AffiliateSummary = Static<typeof AffiliateSummary>

export const AffiliateBalance = closed({
  ...AffiliateRowBalance.properties,
  pending_minor: SumMinor,
  approved_minor: SumMinor,
  paid_out_minor: SumMinor,
  /** Credit, which is never paid out and not part of the other amounts. */
  credit_minor: SumMinor,
})
export type AffiliateBalance = Static<typeof AffiliateBalance>

export const AffiliateEnrolment = closed({
  campaign_id: Id,
  campaign_name: Type.String(),
  program_type: ProgramType,
  campaign_status: CampaignStatus,
  enrolled_at: Timestamp,
  payout_currency: Currency,
  /** The affiliate's link for this campaign. */
  link: Type.String(),
  /** Whether the campaign has a destination; without one, the link does not work yet. */
  has_destination: Type.Boolean(),
})
export type AffiliateEnrolment = Static<typeof AffiliateEnrolment>

/** An event in an affiliate's timeline. Its kind and ID identify the object it is about. */
export const AffiliateEvent = closed({
  kind: oneOf(['joined', 'enrolled', 'referral', 'commission', 'payout']),
  id: Id,
  at: Timestamp,
  /** The status of a referral, a commission or a payout item. */
  status: nullable(Type.String()),
  /** The entry type of a commission, or the rail of a payout. */
  type: nullable(Type.String()),
  campaign_name: nullable(Type.String()),
  customer_ref: nullable(Type.String()),
  amount_minor: nullable(Minor),
  currency: nullable(Currency),
  is_test: Type.Boolean(),
})
export type AffiliateEvent = Static<typeof AffiliateEvent>

export const AffiliateDetail = closed({
  ...Affiliate.properties,
  /** Tokens that the affiliate had before: links with them still work. */
  old_tokens: Type.Array(Type.String()),
  /** Why they were rejected, and whether they see it. */
  rejection: nullable(closed({ reason: Type.String(), is_shared: Type.Boolean() })),
  /** Whether every new referral of theirs needs a review. */
  is_held: Type.Boolean(),
  balances: Type.Array(AffiliateBalance),
  enrolments: Type.Array(AffiliateEnrolment),
  /** Newest first, limited to what the page shows. */
  events: Type.Array(AffiliateEvent),
})
export type AffiliateDetail = Static<typeof AffiliateDetail>

export const ImportReport = closed({
  /** Non-empty rows below the header. */
  lines: Count,
  created: Count,
  /** Existing affiliates, now enrolled in the campaign. */
  enrolled: Count,
  /** Existing affiliates that were already enrolled. */
  unchanged: Count,
  refused: Type.Array(closed({ line: Count, email: Type.String(), reason: Type.String() })),
  ignored_columns: Type.Array(Type.String()),
})
export type ImportReport = Static<typeof ImportReport>

/** Someone whom a user adds, so that they can start at once. The public API always adds pending affiliates. */
export const AddAffiliate = closed({
  ...CreateAffiliate.properties,
  approve: Type.Optional(Type.Boolean()),
  /** By email, with a sign-in link. Refused without an SMTP server. */
  invite: Type.Optional(Type.Boolean()),
})
export type AddAffiliate = Static<typeof AddAffiliate>

const MOST_IMPORTED_CHARACTERS = 2_000_000

const filters = {
  q: searchText,
  status: Type.Optional(AffiliateStatus),
  campaign_id: Type.Optional(Id),
  kind: Type.Optional(AffiliateKind),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
}

export const affiliatesSchemas = {
  listAffiliates: read(
    closed({ ...pageOf(AffiliateSummary).properties, period: nullable(ListedPeriod) }),
    closed({ ...pageQuery, ...filters, ...performanceQuery }),
  ),
  exportAffiliates: file(closed({ order: pageQuery.order, ...filters, ...performanceQuery })),
  getAffiliate: read(AffiliateDetail),
  /** An existing affiliate with this email is enrolled in the campaign and otherwise unchanged. */
  createAffiliate: change(AddAffiliate, closed({ id: Id, created: Type.Boolean(), invited: Type.Boolean() })),
  updateAffiliate: change(UpdateAffiliate, Affiliate),
  /** An affiliate in `from` is only decided about if they still have this status, which the page showed. */
  reviewAffiliates: change(
    closed({
      ids,
      status: oneOf(['approved', 'rejected']),
      from: Type.Optional(Type.Array(closed({ id: Id, status: AffiliateStatus }), { maxItems: 500 })),
      ...reasonFields,
    }),
    BulkResult,
  ),
  importAffiliates: change(
    closed({
      campaign_id: Id,
      csv: Type.String({ minLength: 1, maxLength: MOST_IMPORTED_CHARACTERS }),
      dry_run: Type.Boolean(),
    }),
    ImportReport,
  ),
  downloadStatement: file(closed({ as_of: Type.Optional(Moment) })),
}
