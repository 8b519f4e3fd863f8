import { type Sql, sql } from '../db/sql.ts'

/** The parameter by which search engines mark a click `k` on an ad, or how ads are usually labelled; null if it has none. */
export const adParameter: Sql = sql`coalesce(
  substring(lower(k.landing_url) FROM '[?&](gclid|gbraid|wbraid|msclkid)=[^&#]'),
  substring(lower(k.landing_url) FROM '[?&](utm_medium=(?:cpc|ppc|paid[_-]?search|sem))(?:[&#]|$)'))`
