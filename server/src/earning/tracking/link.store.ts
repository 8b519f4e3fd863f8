import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface LinkRow {
  campaign_id: number
  affiliate_id: number
  destination_url: string | null
  attribution_window_days: number
}

/** Resolves a link: the affiliate with this token, and the given campaign or else the affiliate's first enrolment, archived ones last. */
export function findLink(
  db: Db,
  accountId: number,
  token: string,
  campaignSlug: string | undefined,
): Promise<LinkRow | undefined> {
  return db.first(sql`
    SELECT c.id AS campaign_id, a.id AS affiliate_id, c.destination_url, c.attribution_window_days
      FROM affiliates a
      JOIN enrolments e ON e.account_id = a.account_id AND e.affiliate_id = a.id
      JOIN campaigns c ON c.account_id = a.account_id AND c.id = e.campaign_id
     WHERE a.account_id = ${accountId} AND a.token = ${token}
       AND (${campaignSlug ?? null}::text IS NULL OR c.slug = ${campaignSlug ?? null}::text)
     ORDER BY c.status = 'archived', e.id LIMIT 1`)
}

/** The destination of the campaign with this slug, or of the account's first campaign that has one; public ones first, archived ones last. */
export async function findSite(
  db: Db,
  accountId: number,
  campaignSlug: string | undefined,
): Promise<string | undefined> {
  const row = await db.first<{ destination_url: string }>(sql`
    SELECT c.destination_url FROM campaigns c
     WHERE c.account_id = ${accountId} AND c.destination_url IS NOT NULL
     ORDER BY coalesce(c.slug = ${campaignSlug ?? null}::text, false) DESC, c.status = 'archived', c.visibility = 'public' DESC, c.id LIMIT 1`)
  return row?.destination_url
}

/** The destinations of the account's campaigns: the merchant's sites. */
export async function findDestinations(db: Db, accountId: number): Promise<string[]> {
  const rows = await db.many<{ destination_url: string }>(sql`
    SELECT DISTINCT c.destination_url FROM campaigns c
     WHERE c.account_id = ${accountId} AND c.destination_url IS NOT NULL`)
  return rows.map(row => row.destination_url)
}
