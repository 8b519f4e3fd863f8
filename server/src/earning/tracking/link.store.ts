import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { affiliateOfToken } from '../../programme/affiliates/token-alias.store.ts'

/** What a link's path names. Without a campaign it leads to the affiliate's first enrolment. */
export interface LinkName {
  accountSlug: string
  token: string
  campaignSlug: string | undefined
}

export interface LinkRow {
  account_id: number
  campaign_id: number
  affiliate_id: number
  destination_url: string | null
  attribution_window_days: number
}

/**
 * Resolves links, in order of their names: the affiliate with the token, or who had it, and the given campaign or else the affiliate's first enrolment,
 * archived ones last.
 */
export async function findLinks(db: Db, names: LinkName[]): Promise<(LinkRow | undefined)[]> {
  const rows = await db.many<LinkRow & { place: number }>(sql`
    /* every account */
    SELECT n.place, o.id AS account_id, link.campaign_id, link.affiliate_id, link.destination_url,
           link.attribution_window_days
      FROM unnest(${names.map(name => name.accountSlug)}::text[], ${names.map(name => name.token)}::text[],
                  ${names.map(name => name.campaignSlug ?? null)}::text[])
           WITH ORDINALITY AS n (account_slug, token, campaign_slug, place)
      JOIN accounts o ON o.slug = n.account_slug
     CROSS JOIN LATERAL (
       SELECT c.id AS campaign_id, a.id AS affiliate_id, c.destination_url, c.attribution_window_days
         FROM affiliates a
         JOIN enrolments e ON e.account_id = a.account_id AND e.affiliate_id = a.id
         JOIN campaigns c ON c.account_id = a.account_id AND c.id = e.campaign_id
        WHERE a.account_id = o.id AND a.id = ${affiliateOfToken(sql`o.id`, sql`n.token`)} AND (n.campaign_slug IS NULL OR c.slug = n.campaign_slug)
        ORDER BY c.status = 'archived', e.id LIMIT 1) link`)
  const found = new Map(rows.map(({ place, ...link }) => [place, link]))
  return names.map((_, index) => found.get(index + 1))
}

/**
 * Where broken links lead: to the destination of the campaign with this slug, or to the account's site, or else to the destination of its
 * first campaign that has one; public ones first, archived ones last. In order of the names.
 */
export async function findSites(db: Db, names: Omit<LinkName, 'token'>[]): Promise<(string | undefined)[]> {
  const rows = await db.many<{ place: number; destination_url: string }>(sql`
    /* every account */
    SELECT n.place, site.destination_url
      FROM unnest(${names.map(name => name.accountSlug)}::text[], ${names.map(name => name.campaignSlug ?? null)}::text[])
           WITH ORDINALITY AS n (account_slug, campaign_slug, place)
      JOIN accounts o ON o.slug = n.account_slug
     CROSS JOIN LATERAL (
       SELECT coalesce(
         (SELECT c.destination_url FROM campaigns c WHERE c.account_id = o.id AND c.slug = n.campaign_slug),
         o.site_url,
         (SELECT c.destination_url FROM campaigns c
           WHERE c.account_id = o.id AND c.destination_url IS NOT NULL
           ORDER BY c.status = 'archived', c.visibility = 'public' DESC, c.id LIMIT 1)) AS destination_url) site
     WHERE site.destination_url IS NOT NULL`)
  const found = new Map(rows.map(({ place, destination_url }) => [place, destination_url]))
  return names.map((_, index) => found.get(index + 1))
}

/** The destinations of the account's campaigns: the merchant's sites. */
export async function findDestinations(db: Db, accountId: number): Promise<string[]> {
  const rows = await db.many<{ destination_url: string }>(sql`
    SELECT DISTINCT c.destination_url FROM campaigns c
     WHERE c.account_id = ${accountId} AND c.destination_url IS NOT NULL`)
  return rows.map(row => row.destination_url)
}
