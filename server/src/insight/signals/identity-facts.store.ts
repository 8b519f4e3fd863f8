import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type Emails, LEAST_AT_ADDRESS, LEAST_ON_NETWORK, type Shared } from './identity-rules.ts'
import { isWatched } from './traffic-facts.store.ts'

/** Other affiliates that a signal names. */
const MOST_NAMED = 10

/**
 * Affiliates who share a key with others, as the WITH query `top` after `seen`, which has the keys; of several keys, the one that the most
 * share. Names are looked up afterwards: a list for each member of a key would grow with the square of their number.
 */
const mostShared = (least: number, limit: number): Sql => sql`
  shared AS (
    SELECT s.key, count(*)::integer AS accounts FROM seen s GROUP BY s.key
    HAVING count(*) >= ${least}::integer
  ), most AS (
    SELECT DISTINCT ON (s.affiliate_id) s.affiliate_id, h.key, h.accounts FROM shared h JOIN seen s ON s.key = h.key
     ORDER BY s.affiliate_id, h.accounts DESC, h.key
  ), top AS (
    SELECT m.affiliate_id, m.key, m.accounts FROM most m ORDER BY m.accounts DESC, m.affiliate_id LIMIT ${limit}
  )`

const addressesOf = (accountId: number): Sql => sql`
  seen AS (
    SELECT DISTINCT coalesce(s.network_hash, s.address_hash) AS key, s.affiliate_id
      FROM affiliate_addresses s
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = s.affiliate_id AND ${isWatched}
     WHERE s.account_id = ${accountId} AND s.last_seen_at > now() - interval '90 days'
  )`

const payoutAddressesOf = (accountId: number): Sql => sql`
  seen AS (
    SELECT lower(a.paypal_email) AS key, a.id AS affiliate_id
      FROM affiliates a WHERE a.account_id = ${accountId} AND ${isWatched} AND a.paypal_email IS NOT NULL
  )`

/** Affiliates who have signed in from a network from which others have, too; only its hash is stored. */
export function findSharedNetworks(tx: Tx, accountId: number, limit: number): Promise<Shared[]> {
  return tx.many(sql`
    WITH ${addressesOf(accountId)}, ${mostShared(LEAST_ON_NETWORK, limit)}
    SELECT t.affiliate_id, t.accounts,
           ARRAY(SELECT o.affiliate_id FROM seen o WHERE o.key = t.key AND o.affiliate_id <> t.affiliate_id
                  ORDER BY o.affiliate_id LIMIT ${MOST_NAMED}) AS others
      FROM top t ORDER BY t.accounts DESC, t.affiliate_id`)
}

/** Affiliates who are paid to an address to which others are paid, too. */
export function findSharedPayoutAddresses(tx: Tx, accountId: number, limit: number): Promise<Shared[]> {
  return tx.many(sql`
    WITH ${payoutAddressesOf(accountId)}, ${mostShared(LEAST_AT_ADDRESS, limit)}
    SELECT t.affiliate_id, t.accounts,
           ARRAY(SELECT o.affiliate_id FROM seen o WHERE o.key = t.key AND o.affiliate_id <> t.affiliate_id
                  ORDER BY o.affiliate_id LIMIT ${MOST_NAMED}) AS others
      FROM top t ORDER BY t.accounts DESC, t.affiliate_id`)
}

/**
 * A domain on the list, one directly below it, or any below one of two labels, as nearly all of the list are. Compared as a whole: a pattern
 * takes forty times as long.
 */
const isListed = (domain: Sql, domains: string[]): Sql => sql`
  (${domain} = ANY (${domains}::text[]) OR substr(${domain}, position('.' IN ${domain}) + 1) = ANY (${domains}::text[])
   OR split_part(${domain}, '.', -2) || '.' || split_part(${domain}, '.', -1) = ANY (${domains}::text[]))`

/** Affiliates with an email address at one of the domains, or below it. */
export function findEmailsAt(tx: Tx, accountId: number, domains: string[], limit: number): Promise<Emails[]> {
  return tx.many(sql`
    WITH at AS (
      SELECT a.id, split_part(a.email_key, '@', 2) AS domain, split_part(lower(a.paypal_email), '@', 2) AS payout_domain
        FROM affiliates a WHERE a.account_id = ${accountId} AND ${isWatched}
    )
    SELECT at.id AS affiliate_id, at.domain, at.payout_domain FROM at
     WHERE ${isListed(sql`at.domain`, domains)} OR ${isListed(sql`at.payout_domain`, domains)}
     ORDER BY at.id DESC LIMIT ${limit}`)
}
