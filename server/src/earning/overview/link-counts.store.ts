import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { countsAsConversion } from '../referrals/counts-as-conversion.store.ts'
import type { Period } from './period.store.ts'

export interface CampaignCount {
  campaign_id: number
  count: number
}

interface Scope {
  accountId: number
  affiliateId: number
  period: Period
}

/** The clicks on an affiliate's links, by campaign; counted as in the overview. */
export function countClicksByCampaign(
  db: Db,
  { accountId, affiliateId, period }: Scope,
): Promise<CampaignCount[]> {
  return db.many(sql`
    SELECT c.campaign_id, count(*)::integer AS count
      FROM clicks c
     WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId} AND c.created_at >= ${period.from}
       AND c.created_at < ${period.to} AND NOT c.is_bot
     GROUP BY c.campaign_id`)
}

/** The conversions credited to an affiliate, by campaign; counted as in the overview. */
export function countConversionsByCampaign(
  db: Db,
  { accountId, affiliateId, period }: Scope,
): Promise<CampaignCount[]> {
  return db.many(sql`
    SELECT r.campaign_id, count(*)::integer AS count
      FROM referrals r
     WHERE r.account_id = ${accountId} AND r.affiliate_id = ${affiliateId} AND r.occurred_at >= ${period.from}
       AND r.occurred_at < ${period.to} AND ${countsAsConversion}
     GROUP BY r.campaign_id`)
}
