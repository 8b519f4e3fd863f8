import { type ExploreSource, NO_CLICK, NONE } from '@tributary/contract/dashboard'
import type { Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Day, oneDay } from './days.store.ts'

/*
 * Where visitors come from: the one definition of what a click has of each dimension, and of a referral's source, which is that of the click
 * that won it.
 */

const MOST_CHARACTERS = 200

const bounded = (value: Sql): Sql => sql`left(${value}, ${MOST_CHARACTERS}::integer)`

/**
 * The raw value of a query parameter of the landing page: what follows the first `?name=` or `&name=` that isn't empty. Cut out where there is
 * only one, which takes a fraction of the time.
 */
function rawParameter(name: string): Sql {
  const [first, other] = [`?${name}=`, `&${name}=`]
  const isIn = (mark: string) => sql`position(${mark}::text IN k.landing_url) > 0`
  const after = (mark: string) =>
    sql`substr(k.landing_url, position(${mark}::text IN k.landing_url) + ${mark.length}::integer)`
  return sql`
    coalesce(
      nullif(split_part(split_part(
        CASE WHEN ${isIn(first)} THEN CASE WHEN NOT ${isIn(other)} THEN ${after(first)} END
             WHEN ${isIn(other)} THEN ${after(other)} END, '&', 1), '#', 1), ''),
      substring(k.landing_url FROM '[?&]' || ${name}::text || '=([^&#]+)'))`
}

/** The value of a query parameter of the landing page. Most pages have none, and few have encoded characters: to decode takes longest. */
const parameter = (name: string): Sql => sql`
  CASE WHEN position(${name}::text || '=' IN k.landing_url) > 0
       THEN ${bounded(sql`
         CASE WHEN position('%' IN k.landing_url) > 0 THEN decoded_parameter(${rawParameter(name)})
              ELSE replace(${rawParameter(name)}, '+', ' ') END`)} END`

/** The values of a click `k`, null where it has none. Tablets come first: they name the system of a phone. */
const referrer = bounded(
  sql`lower(substring(k.referrer FROM '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:www[.])?([^/?#:]+)'))`,
)
const landingPage = bounded(sql`nullif(split_part(split_part(k.landing_url, '?', 1), '#', 1), '')`)
const device = sql`
  CASE WHEN k.user_agent ~* 'ipad|tablet|kindle|silk/|playbook' OR (k.user_agent ~* 'android' AND k.user_agent !~* 'mobile') THEN 'tablet'
       WHEN k.user_agent ~* 'mobile|iphone|ipod|android|phone' THEN 'mobile'
       WHEN k.user_agent IS NOT NULL THEN 'desktop' END`

/** A link is an affiliate's, in a campaign, to a page. */
const link = (of: Sql, page: Sql): Sql =>
  bounded(sql`concat_ws(' ', ${of}.campaign_id, ${of}.affiliate_id, ${page})`)

function rawValue(dimension: ExploreSource): Sql {
  switch (dimension) {
    case 'link':
      return link(sql`k`, landingPage)
    case 'referrer':
      return referrer
    case 'landing_page':
      return landingPage
    case 'device':
      return device
    case 'country':
      return sql`k.country`
    default:
      return parameter(dimension)
  }
}

/** The value of a dimension that a click `k` has. */
export const clickValue = (dimension: ExploreSource): Sql => sql`coalesce(${rawValue(dimension)}, ${NONE})`

/** The same of a dimension that is only known in the statement. */
export const clickValueBy = (dimension: Sql): Sql => sql`
  coalesce(CASE ${dimension}
    WHEN 'link' THEN ${rawValue('link')}
    WHEN 'referrer' THEN ${rawValue('referrer')}
    WHEN 'utm_source' THEN ${rawValue('utm_source')}
    WHEN 'utm_medium' THEN ${rawValue('utm_medium')}
    WHEN 'utm_campaign' THEN ${rawValue('utm_campaign')}
    WHEN 'sub_id' THEN ${rawValue('sub_id')}
    WHEN 'landing_page' THEN ${rawValue('landing_page')}
    WHEN 'device' THEN ${rawValue('device')}
    WHEN 'country' THEN ${rawValue('country')} END, ${NONE})`

/** Dimensions whose value is not made of the landing page alone. */
type BeyondPage = 'link' | 'referrer' | 'device' | 'country'
const beyondPage: ReadonlySet<ExploreSource> = new Set<BeyondPage>(['link', 'referrer', 'device', 'country'])
export const isBeyondPage = (dimension: ExploreSource): dimension is BeyondPage => beyondPage.has(dimension)

/** The columns of a click `k` that its value of a dimension is made of: clicks that are alike in them have the same. */
export function clickColumns(dimension: BeyondPage): Sql {
  switch (dimension) {
    case 'link':
      return sql`k.affiliate_id, k.landing_url`
    case 'referrer':
      return sql`k.referrer`
    case 'device':
      return sql`k.user_agent`
    case 'country':
      return sql`k.country`
  }
}

/** The click that won a conversion `v`, as an expression. */
export const wonClick: Sql = sql`(
  SELECT (won.candidate ->> 'click_id')::bigint
    FROM jsonb_array_elements(v.attribution -> 'candidates') AS won (candidate)
   WHERE won.candidate ->> 'outcome' = 'won' LIMIT 1)`

/** The source of a click `k`, a column for each dimension. */
export const clickSource: Sql = sql`
  k.campaign_id, k.affiliate_id, ${referrer} AS referrer, ${parameter('utm_source')} AS utm_source, ${parameter('utm_medium')} AS utm_medium,
  ${parameter('utm_campaign')} AS utm_campaign, ${parameter('sub_id')} AS sub_id, ${landingPage} AS landing_page, ${device} AS device,
  k.country`

/** The source of a referral, as the WITH query `origin`, whose first row counts: as it was kept, or else of its click. */
export const referralSource = (accountId: number, referralId: Sql): Sql => sql`
  origin AS (
    SELECT x.campaign_id, x.affiliate_id, x.referrer, x.utm_source, x.utm_medium, x.utm_campaign, x.sub_id, x.landing_page, x.device, x.country
      FROM referral_sources x WHERE x.account_id = ${accountId} AND x.referral_id = ${referralId}
    UNION ALL
    SELECT ${clickSource}
      FROM conversions v JOIN clicks k ON k.account_id = ${accountId} AND k.id = ${wonClick}
     WHERE v.account_id = ${accountId} AND v.referral_id = ${referralId}
  )`

/**
 * The value of a dimension of the source `s`, for what the affiliate of `of` earned in a campaign. What was credited to another affiliate or
 * campaign than the click's has no link, but every other source.
 */
export const sourceValue = (dimension: Sql, of: Sql): Sql => sql`
  CASE WHEN s.campaign_id IS NULL OR (${dimension} = 'link' AND (s.campaign_id, s.affiliate_id) <> (${of}.campaign_id, ${of}.affiliate_id))
       THEN ${NO_CLICK}
       ELSE coalesce(CASE ${dimension}
         WHEN 'link' THEN ${link(sql`s`, sql`s.landing_page`)}
         WHEN 'referrer' THEN s.referrer
         WHEN 'utm_source' THEN s.utm_source
         WHEN 'utm_medium' THEN s.utm_medium
         WHEN 'utm_campaign' THEN s.utm_campaign
         WHEN 'sub_id' THEN s.sub_id
         WHEN 'landing_page' THEN s.landing_page
         WHEN 'device' THEN s.device
         WHEN 'country' THEN s.country END, ${NONE}) END`

/** One value of a dimension. */
export interface Source {
  dimension: ExploreSource
  value: string
}

/** A condition on `of`, a referral or what one earned: the click that won the referral has this value. */
export const isOfSource = (
  accountId: number,
  { dimension, value }: Source,
  of: Sql,
  referralId: Sql,
): Sql => sql`(
  SELECT ${sourceValue(sql`${dimension}::text`, of)}
    FROM (SELECT 1) one
    LEFT JOIN LATERAL (WITH ${referralSource(accountId, referralId)} SELECT o.* FROM origin o LIMIT 1) s ON true) = ${value}`

/** Keeps the sources of a day's referrals: their clicks are dropped, and their customers go on buying. */
export async function keepSources(tx: Tx, accountId: number, day: Day): Promise<void> {
  await tx.many(sql`
    WITH ${oneDay(day)}
    INSERT INTO referral_sources (account_id, referral_id, campaign_id, affiliate_id, referrer, utm_source, utm_medium, utm_campaign, sub_id,
                                  landing_page, device, country)
    SELECT ${accountId}, r.id, ${clickSource}
      FROM days d
      JOIN referrals r ON r.account_id = ${accountId} AND r.occurred_at >= d.starts AND r.occurred_at < d.ends
      JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
      JOIN clicks k ON k.account_id = ${accountId} AND k.id = ${wonClick}
    ON CONFLICT (account_id, referral_id) DO NOTHING`)
}
