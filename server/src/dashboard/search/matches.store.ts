import { type Sql, sql } from '../../db/sql.ts'
import { hasEmailLike, keepsEmails } from '../../earning/customers/customer-email.store.ts'
import { matchesCustomer } from '../../earning/referrals/matches-customer.store.ts'
import { emailKey } from '../../kit/email.ts'
import { containing } from '../../kit/like-pattern.ts'
import { mentions } from '../../programme/affiliates/affiliate-list.store.ts'

/**
 * Parts of a name are searched among the newest rows only, so that a search takes the same time in a programme of any size; complete
 * values are found by an index among all. Parts of an address are looked up for a few of the newest customers, so that those come first,
 * and for the others searched in the addresses themselves: looking up 100,000 took five times as long as reading 200,000 of them.
 */
const SEARCHED = {
  affiliates: 50_000,
  customers: 100_000,
  newestAddresses: 1000,
  matchingAddresses: 100,
  sales: 100_000,
  // Where few sales are credited, the newest 100,000 of these would be found by reading all.
  salesForCredited: 1_000_000,
}

/** How many are enough; null searches everything, as a file has to. */
type Most = number | null

const among = (newest: number, most: Most): Most => (most === null ? null : newest)

/** The ids of affiliates by part of their name, email, token or coupon. */
export function affiliatesLike(accountId: number, text: string, most: Most): Sql {
  const key = emailKey(text)
  return sql`
    (SELECT x.id FROM affiliates x WHERE x.account_id = ${accountId} AND x.email_key = ${key})
    UNION
    (SELECT x.id FROM affiliates x WHERE x.account_id = ${accountId} AND x.token = ${text})
    UNION
    (SELECT x.id FROM affiliates x WHERE x.account_id = ${accountId} AND x.coupon_code_key = ${key})
    UNION
    (SELECT a.id FROM (SELECT n.id, n.email_key, n.token, n.coupon_code_key, n.name FROM affiliates n
                        WHERE n.account_id = ${accountId} ORDER BY n.id DESC LIMIT ${among(SEARCHED.affiliates, most)}) a
      WHERE ${mentions(text)} LIMIT ${most})`
}

/**
 * The ids of referrals by part of the customer's reference or address, beside those that are `known`, such as those of a complete email that only the
 * tracker reported.
 */
export const referralsLike = (accountId: number, text: string, known: number[], most: Most): Sql => sql`
  (SELECT unnest(${known}::bigint[]) AS id)
  UNION
  (SELECT x.id FROM referrals x WHERE x.account_id = ${accountId} AND x.customer_ref = ${text} ORDER BY x.id DESC LIMIT ${most})
  UNION
  (SELECT n.id FROM (SELECT m.id, m.customer_ref FROM referrals m WHERE m.account_id = ${accountId}
                      ORDER BY m.id DESC LIMIT ${among(SEARCHED.customers, most)}) n
    WHERE ${matchesCustomer(sql`n.customer_ref`, text)} LIMIT ${most})
  UNION
  (SELECT n.id FROM (SELECT m.id, m.customer_ref FROM referrals m WHERE m.account_id = ${accountId}
                      ORDER BY m.id DESC LIMIT ${SEARCHED.newestAddresses}) n
    WHERE ${hasEmailLike(accountId, sql`n.customer_ref`, text)} LIMIT ${most})
  UNION
  (SELECT x.id FROM (SELECT m.customer_ref FROM customer_emails m
                      WHERE m.account_id = ${accountId} AND m.email_key LIKE ${containing(emailKey(text))} AND ${keepsEmails(accountId)}
                      LIMIT ${among(Math.max(SEARCHED.matchingAddresses, most ?? 0), most)}) e
     JOIN referrals x ON x.account_id = ${accountId} AND x.customer_ref = e.customer_ref ORDER BY x.id DESC LIMIT ${most})
  UNION
  (SELECT x.id FROM customer_emails e
     JOIN referrals x ON x.account_id = ${accountId} AND x.customer_ref = e.customer_ref
    WHERE e.account_id = ${accountId} AND e.email_key = ${emailKey(text)} AND ${keepsEmails(accountId)}
    ORDER BY x.id DESC LIMIT ${most})`

const saleOfId = (accountId: number, text: string): Sql => sql`
  SELECT x.id FROM sales x WHERE x.account_id = ${accountId} AND x.external_id = ${text}`

const newestSalesLike = (accountId: number, text: string, most: Most): Sql => sql`
  SELECT n.id FROM (SELECT m.id, m.external_id FROM sales m WHERE m.account_id = ${accountId}
                     ORDER BY m.id DESC LIMIT ${among(SEARCHED.sales, most)}) n
   WHERE starts_with(n.external_id, ${text}) LIMIT ${most}`

/** Without unattributed sales, which may be most of them. */
const newestCreditedSalesLike = (accountId: number, text: string, most: Most): Sql => sql`
  SELECT n.id FROM (SELECT m.id, m.external_id
                      FROM (SELECT w.id, w.external_id, w.referral_id FROM sales w WHERE w.account_id = ${accountId}
                             ORDER BY w.id DESC LIMIT ${among(SEARCHED.salesForCredited, most)}) m
                     WHERE m.referral_id IS NOT NULL LIMIT ${among(SEARCHED.sales, most)}) n
   WHERE starts_with(n.external_id, ${text}) LIMIT ${most}`

/** The ids of sales by their complete ID, or by its beginning among the newest. */
export const salesLike = (accountId: number, text: string, most: Most): Sql =>
  sql`(${saleOfId(accountId, text)}) UNION (${newestSalesLike(accountId, text, most)})`

/** Of those that earned something. */
export const creditedSalesLike = (accountId: number, text: string, most: Most): Sql =>
  sql`(${saleOfId(accountId, text)}) UNION (${newestCreditedSalesLike(accountId, text, most)})`

/** Among the newest of all, and further ones that are credited. */
const newestListedLike = (accountId: number, text: string, most: number, days: Sql, order: Sql): Sql => sql`
  SELECT n.id FROM (SELECT m.id, m.external_id
                      FROM (SELECT w.id, w.external_id, w.referral_id, row_number() OVER (ORDER BY ${order}) AS place
                              FROM sales w WHERE w.account_id = ${accountId} AND ${days}
                             ORDER BY ${order} LIMIT ${SEARCHED.salesForCredited}) m
                     WHERE m.place <= ${SEARCHED.sales} OR m.referral_id IS NOT NULL LIMIT ${2 * SEARCHED.sales}) n
   WHERE starts_with(n.external_id, ${text}) LIMIT ${most}`

/** For the list of sales: by its beginning, a sale of the days that the condition on `w` selects, if any. */
export const listedSalesLike = (accountId: number, text: string, most: number, days?: Sql): Sql =>
  days
    ? sql`(${saleOfId(accountId, text)}) UNION (${newestListedLike(accountId, text, most, days, sql`w.occurred_at DESC`)})`
    : sql`(${saleOfId(accountId, text)}) UNION (${newestListedLike(accountId, text, most, sql`true`, sql`w.id DESC`)})`
