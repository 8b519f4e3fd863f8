import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { affiliateOfToken } from '../../programme/affiliates/token-alias.store.ts'

/** What a link's path names. Without a campaign it leads to the affiliate's first enrolment. */
export interface LinkName {
  accountSlug: string
  token: string
  campaignSlug: string | undefined
}

/** The affiliate with a token, or who had it, and the campaigns of their enrolments, the first one first. */
export interface TokenRow {
  account_id: number
  affiliate_id: number
  campaign_ids: number[]
}

/** In order of the names. */
export async function findTokens(
  db: Db,
  names: Pick<LinkName, 'accountSlug' | 'token'>[],
): Promise<(TokenRow | undefined)[]> {
  const rows = await db.many<TokenRow & { place: number }>(sql`
    /* every account */
    SELECT n.place, o.id AS account_id, holder.id AS affiliate_id,
           ARRAY(SELECT e.campaign_id FROM enrolments e
                  WHERE e.account_id = o.id AND e.affiliate_id = holder.id ORDER BY e.id) AS campaign_ids
      FROM unnest(${names.map(name => name.accountSlug)}::text[], ${names.map(name => name.token)}::text[])
           WITH ORDINALITY AS n (account_slug, token, place)
      JOIN accounts o ON o.slug = n.account_slug
     CROSS JOIN LATERAL (SELECT ${affiliateOfToken(sql`o.id`, sql`n.token`)} AS id) holder
     WHERE holder.id IS NOT NULL`)
  const found = new Map(rows.map(({ place, ...row }) => [place, row]))
  return names.map((_, index) => found.get(index + 1))
}

/** What a campaign decides about its links. */
export interface LinkCampaign {
  id: number
  slug: string
  is_archived: boolean
  destination_url: string | null
  attribution_window_days: number
}

/** All campaigns of each account, in order of the accounts. */
export async function findLinkCampaigns(db: Db, accountIds: number[]): Promise<LinkCampaign[][]> {
  const rows = await db.many<LinkCampaign & { account_id: number }>(sql`
    /* every account */
    SELECT c.account_id, c.id, c.slug, c.status = 'archived' AS is_archived, c.destination_url, c.attribution_window_days
      FROM campaigns c WHERE c.account_id = ANY (${accountIds}::bigint[])`)
  const found = new Map(accountIds.map(id => [id, [] as LinkCampaign[]]))
  for (const { account_id, ...campaign } of rows) found.get(account_id)?.push(campaign)
  return accountIds.map(id => found.get(id) ?? [])
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
