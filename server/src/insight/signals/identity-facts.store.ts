import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type Emails, LEAST_AT_ADDRESS, LEAST_ON_NETWORK, type Shared } from './identity-rules.ts'
import { isWatched, MOST_FOUND } from './traffic-facts.store.ts'

/** Other affiliates that a signal names. */
const MOST_NAMED = 10

/** Affiliates who have signed in from an address from which others have, too; only its hash is stored. Of several, the most shared one. */
export function findSharedNetworks(tx: Tx, accountId: number): Promise<Shared[]> {
  return tx.many(sql`
    WITH shared AS (
      SELECT s.address_hash, array_agg(s.affiliate_id ORDER BY s.affiliate_id) AS ids
        FROM affiliate_addresses s
        JOIN affiliates a ON a.account_id = ${accountId} AND a.id = s.affiliate_id AND ${isWatched}
       WHERE s.account_id = ${accountId} AND s.last_seen_at > now() - interval '90 days'
       GROUP BY s.address_hash HAVING count(*) >= ${LEAST_ON_NETWORK}::integer
    ), most AS (
      SELECT DISTINCT ON (m.id) m.id, h.ids FROM shared h CROSS JOIN LATERAL unnest(h.ids) AS m (id)
       ORDER BY m.id, cardinality(h.ids) DESC, h.address_hash
    )
    SELECT m.id AS affiliate_id, cardinality(m.ids) AS accounts, (array_remove(m.ids, m.id))[:${MOST_NAMED}::integer] AS others
      FROM most m ORDER BY 2 DESC, 1 LIMIT ${MOST_FOUND}`)
}

/** Affiliates who are paid to an address to which others are paid, too. */
export function findSharedPayoutAddresses(tx: Tx, accountId: number): Promise<Shared[]> {
  return tx.many(sql`
    WITH shared AS (
      SELECT array_agg(a.id ORDER BY a.id) AS ids
        FROM affiliates a WHERE a.account_id = ${accountId} AND ${isWatched} AND a.paypal_email IS NOT NULL
       GROUP BY lower(a.paypal_email) HAVING count(*) >= ${LEAST_AT_ADDRESS}::integer
    )
    SELECT m.id AS affiliate_id, cardinality(h.ids) AS accounts, (array_remove(h.ids, m.id))[:${MOST_NAMED}::integer] AS others
      FROM shared h CROSS JOIN LATERAL unnest(h.ids) AS m (id) ORDER BY 2 DESC, 1 LIMIT ${MOST_FOUND}`)
}

/** A domain on the list, or one directly below it. Compared as a whole: a pattern takes forty times as long. */
const isListed = (domain: Sql, domains: string[]): Sql => sql`
  (${domain} = ANY (${domains}::text[]) OR substr(${domain}, position('.' IN ${domain}) + 1) = ANY (${domains}::text[]))`

/** Affiliates with an email address at one of the domains, or directly below it. */
export function findEmailsAt(tx: Tx, accountId: number, domains: string[]): Promise<Emails[]> {
  return tx.many(sql`
    WITH at AS (
      SELECT a.id, split_part(a.email_key, '@', 2) AS domain, split_part(lower(a.paypal_email), '@', 2) AS payout_domain
        FROM affiliates a WHERE a.account_id = ${accountId} AND ${isWatched}
    )
    SELECT at.id AS affiliate_id, at.domain, at.payout_domain FROM at
     WHERE ${isListed(sql`at.domain`, domains)} OR ${isListed(sql`at.payout_domain`, domains)}
     ORDER BY at.id DESC LIMIT ${MOST_FOUND}`)
}
