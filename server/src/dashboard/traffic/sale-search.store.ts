import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { all, inRange, type Sql, sql, when } from '../../db/sql.ts'
import { isAmongEmailsLike, keepsEmails } from '../../earning/customers/customer-email.store.ts'
import { countsAsConversion } from '../../earning/referrals/counts-as-conversion.store.ts'
import { emailKey } from '../../kit/email.ts'
import { containing } from '../../kit/like-pattern.ts'
import { listedSalesLike, referralsLike, salesLike } from '../search/matches.store.ts'
import { isBeyondMost, MATCHES_LOOKED_UP, type Searched } from '../search/searched.ts'

/** What the text of a search stands for, as far as it was looked up. */
export interface FoundSales {
  ids: number[]
  referrals: number[]
  /** References of customers with unattributed sales: the text itself, and those of addresses. */
  customers: string[]
  /** Whether the filters rule out sales without a referral. */
  needs_referral: boolean
  /** Whether it stands for more. */
  is_partial: boolean
}

type Filters = Omit<DashboardQuery<'exportSales'>, 'q'>

/** The days of the query, if any, as a condition on the sale `w`. */
const daysAsked = (query: Filters): Sql | undefined =>
  query.created_after || query.created_before
    ? all(...inRange(sql`w.id`, sql`w.occurred_at`, query))
    : undefined

/** Whether only a sale with a referral matches the filters. */
const needsReferral = (query: Filters): boolean =>
  [query.is_counted, query.campaign_id, query.affiliate_id, query.source].some(filter => filter !== undefined)

/** A condition on the referral `r`: the filters let its sales through. */
const isAsked = ({ is_counted, campaign_id, affiliate_id }: Filters): Sql =>
  all(
    when(is_counted, () => countsAsConversion),
    when(campaign_id, id => sql`r.campaign_id = ${id}`),
    when(affiliate_id, id => sql`r.affiliate_id = ${id}`),
  )

/** Customers by part of their address. */
const customersLike = (
  db: Db,
  accountId: number,
  text: string,
): Promise<{ customer_ref: string; is_wanted: boolean }[]> =>
  db.many(sql`
    SELECT e.customer_ref, EXISTS (SELECT 1 FROM sales s WHERE s.account_id = ${accountId} AND s.customer_ref = e.customer_ref
                                      AND s.referral_id IS NULL) AS is_wanted
      FROM customer_emails e
     WHERE e.account_id = ${accountId} AND e.email_key LIKE ${containing(emailKey(text))} AND ${keepsEmails(accountId)}
     LIMIT ${MATCHES_LOOKED_UP}`)

/** Looks up what the text stands for. What the filters rule out would take the place of others in each page. */
export async function lookUpSales(
  db: Db,
  accountId: number,
  { text, ofEmail }: Searched,
  query: Filters = {},
): Promise<FoundSales> {
  const [sales, referrals, customers] = await Promise.all([
    db.many<{ id: number }>(listedSalesLike(accountId, text, MATCHES_LOOKED_UP, daysAsked(query))),
    db.many<{ id: number; is_wanted: boolean }>(sql`
      SELECT r.id, coalesce(${isAsked(query)}, false) AS is_wanted
        FROM referrals r
       WHERE r.account_id = ${accountId} AND r.id IN (${referralsLike(accountId, text, ofEmail, MATCHES_LOOKED_UP)})`),
    needsReferral(query) ? [] : customersLike(db, accountId, text),
  ])
  const wanted = <Match extends { is_wanted: boolean }>(matches: Match[]) =>
    matches.filter(({ is_wanted }) => is_wanted)
  const ofAddresses = wanted(customers).map(({ customer_ref }) => customer_ref)
  return {
    ids: sales.map(({ id }) => id),
    referrals: wanted(referrals).map(({ id }) => id),
    customers: needsReferral(query) ? [] : [...new Set([text, ...ofAddresses])],
    needs_referral: needsReferral(query),
    is_partial: isBeyondMost(sales, referrals, customers),
  }
}

interface Asked {
  condition: Sql
  /** By time alone, as the index is: sorted by their id too, all sales of a customer would be read. */
  order: Sql
  limit: number
}

/**
 * Whether the sale `s` is among the first ones that were found of each customer, by index: so a search reads a few of each, however many they have.
 * Those of the same time are among the first ones together.
 */
export const isFound = (
  accountId: number,
  { ids, referrals, customers, needs_referral }: FoundSales,
  { condition, order, limit }: Asked,
): Sql => sql`s.id IN (
  SELECT s.id FROM sales s
   WHERE s.account_id = ${accountId} AND s.id = ANY (${ids}::bigint[]) AND (s.referral_id IS NOT NULL OR NOT ${needs_referral})
   UNION ALL
  SELECT x.id FROM unnest(${referrals}::bigint[]) f (id) CROSS JOIN LATERAL (
    SELECT s.id FROM sales s
     WHERE s.account_id = ${accountId} AND s.referral_id = f.id AND ${condition}
     ORDER BY ${order} FETCH FIRST (${limit}) ROWS WITH TIES) x
   UNION ALL
  SELECT x.id FROM unnest(${customers}::text[]) f (customer_ref) CROSS JOIN LATERAL (
    SELECT s.id FROM sales s
     WHERE s.account_id = ${accountId} AND s.referral_id IS NULL AND s.customer_ref = f.customer_ref AND ${condition}
     ORDER BY ${order} FETCH FIRST (${limit}) ROWS WITH TIES) x)`

/** The same for a file, which has everything that the text stands for. */
export const isSearched = (accountId: number, { text, ofEmail }: Searched): Sql => sql`(
  s.id IN (${salesLike(accountId, text, null)}) OR s.referral_id IN (${referralsLike(accountId, text, ofEmail, null)})
  OR (s.referral_id IS NULL AND (s.customer_ref = ${text} OR ${isAmongEmailsLike(accountId, sql`s.customer_ref`, text)})))`
