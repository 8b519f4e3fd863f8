import type { ExploreSource } from '@tributary/contract/dashboard'
import { type Sql, sql } from '../db/sql.ts'
import { countsAsConversion } from '../earning/referrals/counts-as-conversion.store.ts'

/** Values per day, dimension and campaign; the rest counts as `(other)`, or a scanner that makes up values would fill the table. */
const MOST_VALUES = 200
const OTHER = '(other)'
const NONE = '(none)'
const MOST_CHARACTERS = 200

/** The value of a query parameter of the landing page. */
const parameter = (name: string): Sql =>
  sql`substring(k.landing_url FROM '[?&]' || ${name}::text || '=([^&#]+)')`

/** The page that a click led to, without its query. */
const page: Sql = sql`substring(k.landing_url FROM '^[^?#]+')`

/** The value of a dimension that a click has. A link is an affiliate's, in a campaign, to a page. Tablets come first: they name the system of a phone. */
const dimensionValue = (dimension: ExploreSource): Sql => sql`
  left(coalesce(CASE ${dimension}::text
    WHEN 'link' THEN concat_ws(' ', k.campaign_id, k.affiliate_id, ${page})
    WHEN 'referrer' THEN lower(substring(k.referrer FROM '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:www[.])?([^/?#:]+)'))
    WHEN 'utm_source' THEN ${parameter('utm_source')}
    WHEN 'utm_medium' THEN ${parameter('utm_medium')}
    WHEN 'utm_campaign' THEN ${parameter('utm_campaign')}
    WHEN 'sub_id' THEN ${parameter('sub_id')}
    WHEN 'landing_page' THEN ${page}
    WHEN 'country' THEN k.country
    WHEN 'device' THEN
      CASE WHEN k.user_agent ~* 'ipad|tablet|kindle|silk/|playbook' OR (k.user_agent ~* 'android' AND k.user_agent !~* 'mobile') THEN 'tablet'
           WHEN k.user_agent ~* 'mobile|iphone|ipod|android|phone' THEN 'mobile'
           WHEN k.user_agent IS NOT NULL THEN 'desktop' END
    END, ${NONE}), ${MOST_CHARACTERS}::integer)`

/** The click that won a conversion `v`, as an expression. */
export const wonClick: Sql = sql`(
  SELECT (won.candidate ->> 'click_id')::bigint
    FROM jsonb_array_elements(v.attribution -> 'candidates') AS won (candidate)
   WHERE won.candidate ->> 'outcome' = 'won' LIMIT 1)`

/**
 * Clicks by day, campaign and value of a dimension, and the conversions that a click with the value won. As `source_facts`,
 * after `days` as the other facts. A conversion without a click, such as one with a coupon code, has no source.
 */
export const sourceFacts = (accountId: number, dimension: ExploreSource): Sql => sql`
  source_facts AS (
  SELECT n.day, n.campaign_id, n.value, sum(n.clicks)::integer AS clicks, sum(n.unique_clicks)::integer AS unique_clicks,
         sum(n.conversions)::integer AS conversions
    FROM (
      SELECT v.day, v.campaign_id, v.clicks, v.unique_clicks, v.conversions,
             CASE WHEN row_number() OVER (PARTITION BY v.day, v.campaign_id ORDER BY v.conversions DESC, v.clicks DESC, v.value)
                       <= ${MOST_VALUES}::integer THEN v.value ELSE ${OTHER} END AS value
        FROM (
          SELECT d.day, f.campaign_id, f.value, sum(f.clicks) AS clicks, sum(f.unique_clicks) AS unique_clicks,
                 sum(f.conversions) AS conversions
            FROM days d CROSS JOIN LATERAL (
              SELECT k.campaign_id, ${dimensionValue(dimension)} AS value, count(*) AS clicks, 0 AS conversions,
                     count(DISTINCT (k.address_hash, k.user_agent)) FILTER (WHERE k.address_hash IS NOT NULL)
                       + count(*) FILTER (WHERE k.address_hash IS NULL) AS unique_clicks
                FROM clicks k
               WHERE k.account_id = ${accountId} AND k.created_at >= d.starts AND k.created_at < d.ends AND NOT k.is_bot
               GROUP BY 1, 2
              UNION ALL
              SELECT r.campaign_id, ${dimensionValue(dimension)}, 0, 1, 0
                FROM referrals r
                JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
                JOIN clicks k ON k.account_id = ${accountId} AND k.id = ${wonClick}
               WHERE r.account_id = ${accountId} AND r.occurred_at >= d.starts AND r.occurred_at < d.ends
                 AND ${countsAsConversion}
            ) f GROUP BY d.day, f.campaign_id, f.value
        ) v
    ) n
   GROUP BY n.day, n.campaign_id, n.value
  )`
