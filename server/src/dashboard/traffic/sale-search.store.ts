import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { referralsLike, salesLike } from '../search/matches.store.ts'
import { MOST_MATCHES, type Searched } from '../search/searched.ts'

/** What the text of a search stands for, as far as it was looked up. */
export interface FoundSales {
  text: string
  ids: number[]
  referrals: number[]
}

export async function lookUpSales(
  db: Db,
  accountId: number,
  { text, ofEmail }: Searched,
): Promise<FoundSales> {
  const [sales, referrals] = await Promise.all([
    db.many<{ id: number }>(salesLike(accountId, text, MOST_MATCHES)),
    db.many<{ id: number }>(referralsLike(accountId, text, ofEmail, MOST_MATCHES)),
  ])
  return { text, ids: sales.map(({ id }) => id), referrals: referrals.map(({ id }) => id) }
}

/** Whether the text stands for more than was looked up. */
export const isPartial = ({ ids, referrals }: FoundSales): boolean =>
  [ids, referrals].some(({ length }) => length >= MOST_MATCHES)

/**
 * Whether the sale `s` was found: each kind by its index, however many other sales there are. By its complete reference, a customer without
 * a referral is found too.
 */
export const isFound = (accountId: number, { text, ids, referrals }: FoundSales): Sql => sql`s.id IN (
  SELECT unnest(${ids}::bigint[])
   UNION ALL
  SELECT x.id FROM sales x WHERE x.account_id = ${accountId} AND x.referral_id = ANY (${referrals}::bigint[])
   UNION ALL
  SELECT x.id FROM sales x WHERE x.account_id = ${accountId} AND x.referral_id IS NULL AND x.customer_ref = ${text})`

/** The same for a file, which has everything that the text stands for. */
export const isSearched = (accountId: number, { text, ofEmail }: Searched): Sql => sql`(
  s.id IN (${salesLike(accountId, text, null)}) OR s.referral_id IN (${referralsLike(accountId, text, ofEmail, null)})
  OR (s.referral_id IS NULL AND s.customer_ref = ${text}))`
