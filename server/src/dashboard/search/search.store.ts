import type { SearchResults } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailOfCustomer } from '../../earning/customers/customer-email.store.ts'
import { containing } from '../../kit/like-pattern.ts'
import { numberIn } from '../../kit/number-in.ts'
import { isNamed } from '../../programme/campaigns/campaign-list.store.ts'
import { affiliatesLike, referralsLike, salesLike } from './matches.store.ts'

const SHOWN = 5
const SEARCHED = { payouts: 5000, endpoints: 1000 }

export function searchAffiliates(
  db: Db,
  accountId: number,
  text: string,
): Promise<SearchResults['affiliates']> {
  return db.many(sql`
    SELECT a.id, a.name, a.email FROM affiliates a
     WHERE a.account_id = ${accountId} AND a.id IN (${affiliatesLike(accountId, text, SHOWN)})
     ORDER BY a.id DESC LIMIT ${SHOWN}`)
}

export function searchCustomers(
  db: Db,
  accountId: number,
  text: string,
  ofEmail: number[],
): Promise<SearchResults['customers']> {
  const number = numberIn(text, 'referral')
  const known = number === null ? ofEmail : [...ofEmail, Number(number)]
  return db.many(sql`
    SELECT r.id, r.customer_ref, ${emailOfCustomer(accountId, sql`r.customer_ref`)} AS customer_email, g.name AS campaign_name
      FROM referrals r JOIN campaigns g ON g.account_id = ${accountId} AND g.id = r.campaign_id
     WHERE r.account_id = ${accountId} AND r.id IN (${referralsLike(accountId, text, known, SHOWN)})
     ORDER BY r.id DESC LIMIT ${SHOWN}`)
}

export function searchSales(db: Db, accountId: number, text: string): Promise<SearchResults['sales']> {
  return db.many(sql`
    SELECT s.id, s.external_id, s.referral_id, s.amount_minor, s.currency FROM sales s
     WHERE s.account_id = ${accountId} AND s.id IN (${salesLike(accountId, text, SHOWN)})
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
        WHERE ${isNamed(text)} LIMIT ${SHOWN}))
     ORDER BY p.id DESC LIMIT ${SHOWN}`)
}
