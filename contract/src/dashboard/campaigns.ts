import { type Static, Type } from 'typebox'
import { AttributionModel, Campaign, ProgramType, Visibility } from '../campaign.ts'
import { Beneficiary } from '../commission.ts'
import { Count, Currency, closed, Id, Minor, nullable, OneLine, oneOf, Timestamp } from '../fields.ts'
import { ExploredSums, ListedPeriod, performanceQuery } from './explore.ts'
import { change, file, pageOf, pageQuery, read, searchText } from './schema.ts'

/** A paused or archived campaign credits no one; an archived one also leaves lists and choices. */
export const CampaignStatus = oneOf(['active', 'paused', 'archived'])
export type CampaignStatus = Static<typeof CampaignStatus>

/** A commission rule: a percentage of the sale in basis points, or a fixed amount. */
export const rewardFields = {
  rate_basis_points: nullable(Type.Integer()),
  flat_minor: nullable(Minor),
  flat_currency: nullable(Currency),
  /** How many months after the first sale later sales earn too. 0 is the first sale only, null is unlimited. */
  recurring_months: nullable(Type.Integer()),
}

export const CampaignRule = closed({
  beneficiary: Beneficiary,
  entry_type: oneOf(['earned', 'credit']),
  ...rewardFields,
})
export type CampaignRule = Static<typeof CampaignRule>

export const CampaignSummary = closed({
  ...Campaign.properties,
  status: CampaignStatus,
  review_referrals: Type.Boolean(),
  /** Whether approving an affiliate credits conversions reported while it was pending. */
  look_back: Type.Boolean(),
  /** Whether its terms forbid ads in search engines. */
  forbids_paid_search: Type.Boolean(),
  rules: Type.Array(CampaignRule),
  /** Enrolled affiliates, counted up to a limit so that the list stays fast. */
  enrolled: Count,
  /** Whether there are more than the limit. */
  has_more_enrolled: Type.Boolean(),
  /** The join link; null if only the team can enrol affiliates, or the campaign isn't active. */
  join_link: nullable(Type.String()),
})
export type CampaignSummary = Static<typeof CampaignSummary>

/** A campaign as listed, with its figures in the list's period; null without a period. */
export const ListedCampaign = closed({ ...CampaignSummary.properties, performance: nullable(ExploredSums) })
export type ListedCampaign = Static<typeof ListedCampaign>

export const CampaignDetail = closed({
  ...CampaignSummary.properties,
  /** Rule history, newest version first. A commission keeps the version that created it. */
  rule_versions: Type.Array(
    closed({ version: Type.Integer(), created_at: Timestamp, rules: Type.Array(CampaignRule) }),
  ),
})
export type CampaignDetail = Static<typeof CampaignDetail>

/** A rule as typed: `20%`, or minor units with a currency, `500 USD`. */
const Rule = Type.String({ minLength: 1, maxLength: 40 })

/** The campaign's commission rules. Replaced as a whole: the rules of one version belong together. */
const Rewards = closed({
  commission: Rule,
  recurring_months: nullable(Type.Integer({ minimum: 0, maximum: 1200 })),
  /** In a referral campaign, the new customer's reward; null for none. */
  referee_reward: Type.Optional(nullable(Rule)),
  /** In a referral campaign, whether rewards are credit instead of money. */
  credit: Type.Optional(Type.Boolean()),
})

const changeable = {
  name: OneLine(255),
  visibility: Visibility,
  attribution_model: AttributionModel,
  attribution_window_days: Type.Integer({ minimum: 1, maximum: 3650 }),
  hold_days: Type.Integer({ minimum: 0, maximum: 3650 }),
  minimum_payout_minor: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  open_enrollment: Type.Boolean(),
  destination_url: nullable(Type.String({ minLength: 1, maxLength: 2048 })),
  review_referrals: Type.Boolean(),
  look_back: Type.Boolean(),
  forbids_paid_search: Type.Optional(Type.Boolean()),
  rewards: Rewards,
}

const campaignFilters = {
  /** Part of the name or slug. */
  q: searchText,
  program_type: Type.Optional(ProgramType),
  visibility: Type.Optional(Visibility),
  /** Without it, all but archived ones. */
  status: Type.Optional(CampaignStatus),
  include_archived: Type.Optional(Type.Boolean()),
}

export const campaignsSchemas = {
  listCampaigns: read(
    closed({ ...pageOf(ListedCampaign).properties, period: nullable(ListedPeriod) }),
    closed({ ...pageQuery, ...campaignFilters, ...performanceQuery }),
  ),
  exportCampaigns: file(closed({ ...campaignFilters, ...performanceQuery })),
  getCampaign: read(CampaignDetail),
  createCampaign: change(
    closed({
      ...changeable,
      /** Derived from the name by default. */
      slug: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      program_type: ProgramType,
      payout_currency: Currency,
    }),
    closed({ id: Id }),
  ),
  updateCampaign: change(
    Type.Object(Type.Partial(Type.Object(changeable)).properties, {
      additionalProperties: false,
      minProperties: 1,
    }),
    closed({ id: Id }),
  ),
  setCampaignStatus: change(closed({ status: CampaignStatus }), closed({ id: Id })),
}
