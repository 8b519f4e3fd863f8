import { type Static, Type } from 'typebox'
import { Currency, closed, Id, Minor, nullable, oneOf, SumMinor, Timestamp } from '../fields.ts'
import { sourceQuery } from './explore.ts'
import { createdRange, ReferralSummary } from './referrals.ts'
import { file, pageOf, pageQuery, read, searchText } from './schema.ts'

const { affiliate_id, affiliate_name, affiliate_email, campaign_id, campaign_name } =
  ReferralSummary.properties
const names = { affiliate_id, affiliate_name, affiliate_email, campaign_id, campaign_name }

const SaleStatus = oneOf(['counted', 'test', 'rejected', 'replaced', 'unattributed'])

/** A sale; only a search finds those without a referral. */
export const ListedSale = closed({
  id: Id,
  external_id: Type.String(),
  occurred_at: Timestamp,
  /** Whether reports count it, or why they don't. */
  status: SaleStatus,
  referral_id: nullable(Id),
  customer_ref: Type.String(),
  affiliate_id: nullable(Id),
  affiliate_name,
  affiliate_email: nullable(affiliate_email),
  campaign_id: nullable(Id),
  campaign_name: nullable(campaign_name),
  /** Whether an unattributed conversion of the customer explains it. */
  is_explained: Type.Boolean(),
  /** The customer's referral, if the conversion came after this sale. */
  later_referral_id: nullable(Id),
  currency: Currency,
  amount_minor: Minor,
  refunded_minor: SumMinor,
})
export type ListedSale = Static<typeof ListedSale>

/** A click that is still stored, with its source as Explore counts it. */
export const ListedClick = closed({
  id: Id,
  created_at: Timestamp,
  ...names,
  is_bot: Type.Boolean(),
  /** Without its parameters. */
  landing_page: nullable(Type.String()),
  /** The site that it came from. */
  referrer: nullable(Type.String()),
  utm_source: nullable(Type.String()),
  utm_medium: nullable(Type.String()),
  utm_campaign: nullable(Type.String()),
  sub_id: nullable(Type.String()),
  device: nullable(Type.String()),
  country: nullable(Type.String()),
  /** The parameter that marks it as a click on an ad in a search engine. */
  ad: nullable(Type.String()),
})
export type ListedClick = Static<typeof ListedClick>

/** The range of days selects by when the sale or click happened. */
const filters = {
  /** Of sales a beginning of their external ID, or a part of the customer's email or, of a referred customer, reference; of clicks a part of their page or referrer. */
  q: searchText,
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  /** As reports count them: without bots, tests, and what was rejected or replaced. */
  is_counted: Type.Optional(Type.Literal(true)),
  ...sourceQuery,
  ...createdRange,
}

export const trafficSchemas = {
  listSales: read(
    closed({
      ...pageOf(ListedSale).properties,
      /** Whether the search stands for more customers or sales than are looked up. */
      is_partial: Type.Boolean(),
    }),
    closed({ ...pageQuery, ...filters }),
  ),
  exportSales: file(closed(filters)),
  listClicks: read(pageOf(ListedClick), closed({ ...pageQuery, ...filters })),
  exportClicks: file(closed(filters)),
}
