import type { SearchResults } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailOfCustomer, hasEmailLike, keepsEmails } from '../../earning/customers/customer-email.store.ts'
import { matchesCustomer } from '../../earning/referrals/matches-customer.store.ts'
import { emailKey } from '../../kit/email.ts'
import { containing } from '../../kit/like-pattern.ts'
import { mentions } from '../../programme/affiliates/affiliate-list.store.ts'

const SHOWN = 5
/**
 * Parts of a name are searched among the newest rows only, so that a search takes the same time in a programme of any size; complete
 * values are found by an index among all. The lists search everything. Parts of an address are looked up for a few of the newest customers,
 * so that those come first, and for the others searched in the addresses themselves: looking up 100,000 took five times as long as reading
 * 200,000 of them.
 */
const SEARCHED = {
  affiliates: 50_000,
  customers: 100_000,
  newestAddresses: 1000,
  matchingAddresses: 100,
  sales: 100_000,
  payouts: 5000,
  endpoints: 1000,
}

export function searchAffiliates(
  db: Db,
  accountId: number,
  text: string,
): Promise<SearchResults['affiliates']> {
  const key = emailKey(text)
  return db.many(sql`
    SELECT a.id, a.name, a.email FROM affiliates a
     WHERE a.account_id = ${accountId} AND a.id IN (
       (SELECT x.id FROM affiliates x WHERE x.account_id = ${accountId} AND x.email_key = ${key})
       UNION
       (SELECT x.id FROM affiliates x WHERE x.account_id = ${accountId} AND x.token = ${text})
       UNION
       (SELECT x.id FROM affiliates x WHERE x.account_id = ${accountId} AND x.coupon_code_key = ${key})
       UNION
       (SELECT a.id FROM (SELECT n.id, n.email_key, n.token, n.coupon_code_key, n.name FROM affiliates n
                           WHERE n.account_id = ${accountId} ORDER BY n.id DESC LIMIT ${SEARCHED.affiliates}) a
         WHERE ${mentions(text)} LIMIT ${SHOWN}))
     ORDER BY a.id DESC LIMIT ${SHOWN}`)
}

/** The number of a row, as people write it: "12", "#12" or "Payout 12". */
const numberIn = (text: string, noun: 'payout' | 'referral') =>
  new RegExp(`^(?:${noun}\\s*)?#?(\\d{1,15})$`, 'i').exec(text)?.[1] ?? null

export function searchCustomers(
  db: Db,
  accountId: number,
  text: string,
  ofEmail: number[],
): Promise<SearchResults['customers']> {
  return db.many(sql`
    SELECT r.id, r.customer_ref, ${emailOfCustomer(accountId, sql`r.customer_ref`)} AS customer_email, g.name AS campaign_name
      FROM referrals r JOIN campaigns g ON g.account_id = ${accountId} AND g.id = r.campaign_id
     WHERE r.account_id = ${accountId} AND r.id IN (
       (SELECT unnest(${ofEmail}::bigint[]))
       UNION
       (SELECT x.id FROM referrals x WHERE x.account_id = ${accountId} AND x.id = ${numberIn(text, 'referral')}::bigint)
       UNION
       (SELECT x.id FROM referrals x WHERE x.account_id = ${accountId} AND x.customer_ref = ${text} ORDER BY x.id DESC LIMIT ${SHOWN})
       UNION
       (SELECT n.id FROM (SELECT m.id, m.customer_ref FROM referrals m WHERE m.account_id = ${accountId}
                           ORDER BY m.id DESC LIMIT ${SEARCHED.customers}) n
         WHERE ${matchesCustomer(sql`n.customer_ref`, text)} LIMIT ${SHOWN})
       UNION
       (SELECT n.id FROM (SELECT m.id, m.customer_ref FROM referrals m WHERE m.account_id = ${accountId}
                           ORDER BY m.id DESC LIMIT ${SEARCHED.newestAddresses}) n
         WHERE ${hasEmailLike(accountId, sql`n.customer_ref`, text)} LIMIT ${SHOWN})
       UNION
       (SELECT x.id FROM (SELECT m.customer_ref FROM customer_emails m
                           WHERE m.account_id = ${accountId} AND m.email_key LIKE ${containing(emailKey(text))} AND ${keepsEmails(accountId)}
                           LIMIT ${SEARCHED.matchingAddresses}) e
          JOIN referrals x ON x.account_id = ${accountId} AND x.customer_ref = e.customer_ref ORDER BY x.id DESC LIMIT ${SHOWN})
       UNION
       (SELECT x.id FROM customer_emails e
          JOIN referrals x ON x.account_id = ${accountId} AND x.customer_ref = e.customer_ref
         WHERE e.account_id = ${accountId} AND e.email_key = ${emailKey(text)} AND ${keepsEmails(accountId)}
         ORDER BY x.id DESC LIMIT ${SHOWN}))
     ORDER BY r.id DESC LIMIT ${SHOWN}`)
}

/** By its complete ID, or by its beginning. One without a referral is no affiliate's, and has no page. */
export function searchSales(db: Db, accountId: number, text: string): Promise<SearchResults['sales']> {
  return db.many(sql`
    SELECT s.id, s.external_id, r.id AS referral_id, s.amount_minor, s.currency
      FROM sales s JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
     WHERE s.account_id = ${accountId} AND s.id IN (
       (SELECT x.id FROM sales x WHERE x.account_id = ${accountId} AND x.external_id = ${text})
       UNION
       (SELECT n.id FROM (SELECT m.id, m.external_id FROM sales m WHERE m.account_id = ${accountId} AND m.referral_id IS NOT NULL
                           ORDER BY m.id DESC LIMIT ${SEARCHED.sales}) n
         WHERE starts_with(n.external_id, ${text}) LIMIT ${SHOWN}))
     ORDER BY s.id DESC LIMIT ${SHOWN}`)
}

/** By part of the URL. */
export function searchEndpoints(
  db: Db,
  accountId: number,
  text: string,
): Promise<SearchResults['endpoints']> {
  return db.many(sql`
    SELECT n.id, n.url, n.status
      FROM (SELECT w.id, w.url, w.status FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND w.deleted_at IS NULL
             ORDER BY w.id DESC LIMIT ${SEARCHED.endpoints}) n
     WHERE lower(n.url) LIKE ${containing(text.toLowerCase())} ORDER BY n.id DESC LIMIT ${SHOWN}`)
}

/** By number, or by part of the campaign's name. */
export function searchPayouts(db: Db, accountId: number, text: string): Promise<SearchResults['payouts']> {
  return db.many(sql`
    SELECT p.id, g.name AS campaign_name, p.status, p.total_minor, p.currency
      FROM payouts p JOIN campaigns g ON g.account_id = ${accountId} AND g.id = p.campaign_id
     WHERE p.account_id = ${accountId} AND (p.id = ${numberIn(text, 'payout')}::bigint OR p.id IN (
       SELECT n.id FROM (SELECT m.id, m.campaign_id FROM payouts m WHERE m.account_id = ${accountId}
                          ORDER BY m.id DESC LIMIT ${SEARCHED.payouts}) n
         JOIN campaigns c ON c.account_id = ${accountId} AND c.id = n.campaign_id
        WHERE lower(c.name) LIKE ${containing(text.toLowerCase())} LIMIT ${SHOWN}))
     ORDER BY p.id DESC LIMIT ${SHOWN}`)
}
