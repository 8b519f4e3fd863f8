import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

const MOST_CLICKS = 10

export interface RecentClickRow {
  id: number
  created_at: string
  affiliate_id: number
  affiliate_name: string
  campaign_id: number
  campaign_name: string
  landing_url: string | null
  is_bot: boolean
  by_script: boolean
}

/** The account's newest clicks, by their ids: an index on the time would cost every click another entry. */
export function listRecentClicks(db: Db, accountId: number): Promise<RecentClickRow[]> {
  return db.many(sql`
    SELECT k.id, k.created_at, k.affiliate_id, coalesce(a.name, a.email) AS affiliate_name, k.campaign_id,
           c.name AS campaign_name, k.landing_url, k.is_bot, k.by_script
      FROM (SELECT k.id, k.created_at, k.affiliate_id, k.campaign_id, k.landing_url, k.is_bot,
                   k.visitor_id IS NOT NULL AS by_script
              FROM clicks k WHERE k.account_id = ${accountId} ORDER BY k.id DESC LIMIT ${MOST_CLICKS}) k
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = k.affiliate_id
      JOIN campaigns c ON c.account_id = ${accountId} AND c.id = k.campaign_id
     ORDER BY k.id DESC`)
}

export interface CampaignSiteRow {
  id: number
  name: string
  destination_url: string
}

export function listCampaignSites(db: Db, accountId: number): Promise<CampaignSiteRow[]> {
  return db.many(sql`
    SELECT c.id, c.name, c.destination_url FROM campaigns c
     WHERE c.account_id = ${accountId} AND c.destination_url IS NOT NULL ORDER BY c.status = 'archived', c.id`)
}

export interface TestLinkRow {
  affiliate: string
  token: string
  campaign_slug: string
}

/** A link that leads somewhere, to try the installation with. */
export function findTestLink(db: Db, accountId: number): Promise<TestLinkRow | undefined> {
  return db.first(sql`
    SELECT coalesce(a.name, a.email) AS affiliate, a.token, c.slug AS campaign_slug
      FROM affiliates a
      JOIN enrolments e ON e.account_id = ${accountId} AND e.affiliate_id = a.id
      JOIN campaigns c ON c.account_id = ${accountId} AND c.id = e.campaign_id
     WHERE a.account_id = ${accountId} AND a.status = 'approved' AND c.status = 'active' AND c.destination_url IS NOT NULL
     ORDER BY a.id LIMIT 1`)
}
