import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'

export interface NewClick {
  accountId: number
  campaignId: number
  affiliateId: number
  visitorId: string | null
  addressHash: Buffer | null
  isBot: boolean
  userAgent: string | null
  landingUrl: string | null
  referrer: string | null
  country: string | null
}

export interface ClickRow {
  id: number
  campaign_id: number
  affiliate_id: number
  address_hash: Buffer | null
  created_at: string
}

/** Inserts clicks and returns their ids in the same order. */
export async function insertClicks(db: Db, clicks: NewClick[]): Promise<number[]> {
  const rows = await db.many<{ id: number }>(sql`
    /* every account */
    INSERT INTO clicks (account_id, campaign_id, affiliate_id, visitor_id, address_hash, is_bot, user_agent, landing_url,
                        referrer, country, created_at)
    SELECT c.*, now() FROM unnest(
      ${clicks.map(click => click.accountId)}::bigint[], ${clicks.map(click => click.campaignId)}::bigint[],
      ${clicks.map(click => click.affiliateId)}::bigint[], ${clicks.map(click => click.visitorId)}::text[],
      ${clicks.map(click => click.addressHash)}::bytea[], ${clicks.map(click => click.isBot)}::boolean[],
      ${clicks.map(click => click.userAgent)}::text[], ${clicks.map(click => click.landingUrl)}::text[],
      ${clicks.map(click => click.referrer)}::text[], ${clicks.map(click => click.country)}::text[]) AS c
    RETURNING id`)
  return rows.map(({ id }) => id)
}

/** How many of a visitor's newest and oldest clicks are considered; more would not change the result. */
const CLICKS_PER_END = 50

/**
 * The click, and the same visitor's newest and oldest clicks since then, as the WITH query `seen`: a visitor with ten thousand clicks can
 * neither slow down a report nor push out the first click.
 */
export const clicksOfVisitor = (accountId: number, clickId: number | Sql, since: Sql): Sql => sql`
    named AS (
      SELECT c.id, c.campaign_id, c.affiliate_id, c.address_hash, c.created_at, c.visitor_id FROM clicks c
       WHERE c.account_id = ${accountId} AND c.id = ${clickId}
    ), of_visitor AS (
      SELECT c.id, c.campaign_id, c.affiliate_id, c.address_hash, c.created_at FROM named n
         JOIN clicks c ON c.account_id = ${accountId} AND c.visitor_id = n.visitor_id AND c.created_at >= ${since}
    ), newest AS (
      SELECT * FROM of_visitor ORDER BY created_at DESC, id DESC LIMIT ${CLICKS_PER_END}
    ), oldest AS (
      SELECT * FROM of_visitor ORDER BY created_at, id LIMIT ${CLICKS_PER_END}
    ), seen AS (
      SELECT id, campaign_id, affiliate_id, address_hash, created_at FROM named UNION SELECT * FROM newest UNION SELECT * FROM oldest
    )`

export function findClicksOfVisitor(
  db: Db,
  accountId: number,
  clickId: number,
  since: string,
): Promise<ClickRow[]> {
  return db.many(sql`
    WITH ${clicksOfVisitor(accountId, clickId, sql`${since}`)}
    SELECT k.id, k.campaign_id, k.affiliate_id, k.address_hash, k.created_at FROM seen k`)
}

/** Between the redirect and the report of the page that it leads to, on a slow phone. */
const ARRIVES_WITHIN = sql`interval '10 minutes'`

export interface AdoptedClick {
  campaign_id: number
  affiliate_id: number
  window_days: number
  /**
   * Whether it stands for this visit. It doesn't if it's another visitor's, or old: then someone opened an address that was copied from the
   * address bar after the first visit.
   */
  is_of_visit: boolean
}

/**
 * Links a click to its browser's visitor id, once. Undefined if there is no such click. Ids can be guessed, so the address and user agent must
 * match: otherwise anyone could link other people's clicks to their own visitor id and, with one more click, take the credit for all of them.
 * They can differ for a click that was just made (the redirect over IPv4, the page over IPv6), which stays without a visitor.
 */
export function adoptClick(
  db: Db,
  accountId: number,
  clickId: number,
  { visitorId, addressHash, userAgent }: Pick<NewClick, 'visitorId' | 'addressHash' | 'userAgent'>,
): Promise<AdoptedClick | undefined> {
  return db.first(sql`
    WITH clicked AS MATERIALIZED (
      -- The row as it is after waiting for another visitor's beacon, which the snapshot of the statement doesn't have.
      SELECT c.id, c.campaign_id, c.affiliate_id, c.visitor_id, c.created_at FROM clicks c
       WHERE c.account_id = ${accountId} AND c.id = ${clickId} FOR NO KEY UPDATE
    ), adopted AS (
      UPDATE clicks c SET visitor_id = ${visitorId}
       WHERE c.account_id = ${accountId} AND c.id = ${clickId} AND EXISTS (SELECT FROM clicked) AND c.visitor_id IS NULL
         AND c.address_hash IS NOT DISTINCT FROM ${addressHash}::bytea
         AND c.user_agent IS NOT DISTINCT FROM ${userAgent}::text
      RETURNING c.id)
    SELECT c.campaign_id, c.affiliate_id, p.attribution_window_days AS window_days,
           c.created_at > now() - p.attribution_window_days * interval '1 day'
             AND (c.visitor_id = ${visitorId} OR c.id IN (SELECT a.id FROM adopted a)
                  OR (c.visitor_id IS NULL AND c.created_at > now() - ${ARRIVES_WITHIN})) AS is_of_visit
      FROM clicked c JOIN campaigns p ON p.account_id = ${accountId} AND p.id = c.campaign_id`)
}
