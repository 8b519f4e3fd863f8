import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { isAmongEmailsLike, keepsEmails } from '../../earning/customers/customer-email.store.ts'
import { emailKey } from '../../kit/email.ts'
import { containing } from '../../kit/like-pattern.ts'
import { referralsLike, salesLike } from '../search/matches.store.ts'
import { isBeyondMost, MATCHES_LOOKED_UP, type Searched } from '../search/searched.ts'

/** What the text of a search stands for, as far as it was looked up. */
export interface FoundSales {
  ids: number[]
  referrals: number[]
  /** References of customers, also of those without a referral: the text itself, and those of addresses. */
  customers: string[]
}

/** Looks up what the text stands for: of sales by a beginning of their ID, those of the days that the condition on `m` selects, if any. */
export async function lookUpSales(
  db: Db,
  accountId: number,
  { text, ofEmail }: Searched,
  days?: Sql,
): Promise<FoundSales> {
  const [sales, referrals, customers] = await Promise.all([
    db.many<{ id: number }>(salesLike(accountId, text, MATCHES_LOOKED_UP, days)),
    db.many<{ id: number }>(referralsLike(accountId, text, ofEmail, MATCHES_LOOKED_UP)),
    db.many<{ customer_ref: string }>(sql`
      SELECT e.customer_ref FROM customer_emails e
       WHERE e.account_id = ${accountId} AND e.email_key LIKE ${containing(emailKey(text))} AND ${keepsEmails(accountId)}
       LIMIT ${MATCHES_LOOKED_UP}`),
  ])
  return {
    ids: sales.map(({ id }) => id),
    referrals: referrals.map(({ id }) => id),
    customers: [...new Set([text, ...customers.map(({ customer_ref }) => customer_ref)])],
  }
}

/** Whether the text stands for more than was looked up. */
export const isPartial = ({ ids, referrals, customers }: FoundSales): boolean =>
  isBeyondMost(ids, referrals, customers)

interface Asked {
  condition: Sql
  order: Sql
  limit: number
}

/** Whether the sale `s` is among the first ones that were found of each customer, by index: so a search reads a few of each, however many they have. */
export const isFound = (
  accountId: number,
  { ids, referrals, customers }: FoundSales,
  { condition, order, limit }: Asked,
): Sql => sql`s.id IN (
  SELECT unnest(${ids}::bigint[])
   UNION ALL
  SELECT x.id FROM unnest(${referrals}::bigint[]) f (id) CROSS JOIN LATERAL (
    SELECT s.id FROM sales s
     WHERE s.account_id = ${accountId} AND s.referral_id = f.id AND ${condition} ORDER BY ${order} LIMIT ${limit}) x
   UNION ALL
  SELECT x.id FROM unnest(${customers}::text[]) f (customer_ref) CROSS JOIN LATERAL (
    SELECT s.id FROM sales s
     WHERE s.account_id = ${accountId} AND s.referral_id IS NULL AND s.customer_ref = f.customer_ref AND ${condition}
     ORDER BY ${order} LIMIT ${limit}) x)`

/** The same for a file, which has everything that the text stands for. */
export const isSearched = (accountId: number, { text, ofEmail }: Searched): Sql => sql`(
  s.id IN (${salesLike(accountId, text, null)}) OR s.referral_id IN (${referralsLike(accountId, text, ofEmail, null)})
  OR (s.referral_id IS NULL AND (s.customer_ref = ${text} OR ${isAmongEmailsLike(accountId, sql`s.customer_ref`, text)})))`
