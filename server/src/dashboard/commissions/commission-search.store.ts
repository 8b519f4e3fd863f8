import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { type Sql, sql, when } from '../../db/sql.ts'
import { askedSource } from '../../insight/asked-source.ts'
import { isOfSource, type Source } from '../../insight/referral-source.store.ts'
import { numberIn } from '../../kit/number-in.ts'
import { rowsAfter } from '../../kit/page.ts'
import { firstEntries, type SearchedFor } from '../../money/commissions/commission-list.store.ts'
import { type LookedThrough, lookedThrough, mostLookedAt } from '../look-through.store.ts'
import { affiliatesLike, creditedSalesLike, referralsLike } from '../search/matches.store.ts'
import { isBeyondMost, MATCHES_LOOKED_UP, type Searched } from '../search/searched.ts'

/** A number is not looked for in affiliates' names and tokens, where it would mean nothing. */
export async function lookUp(db: Db, accountId: number, { text, ofEmail }: Searched): Promise<SearchedFor> {
  const id = numberIn(text, 'commission')
  const [affiliates, referrals, sales] = await Promise.all([
    db.many<{ id: number }>(sql`
      SELECT a.id FROM affiliates a
       WHERE a.account_id = ${accountId} AND ${id}::text IS NULL AND a.id IN (${affiliatesLike(accountId, text, MATCHES_LOOKED_UP)})`),
    db.many<{ id: number }>(sql`
      SELECT r.id FROM referrals r
       WHERE r.account_id = ${accountId} AND r.id IN (${referralsLike(accountId, text, ofEmail, MATCHES_LOOKED_UP)})`),
    db.many<{ id: number; referral_id: number | null }>(sql`
      SELECT s.id, s.referral_id FROM sales s
       WHERE s.account_id = ${accountId} AND s.id IN (${creditedSalesLike(accountId, text, MATCHES_LOOKED_UP)})`),
  ])
  return {
    affiliates: affiliates.map(({ id }) => id),
    referrals: referrals.map(({ id }) => id),
    sales,
    id,
  }
}

/** Whether the text stands for more than was looked up. */
export const isPartial = ({ affiliates, referrals, sales }: SearchedFor): boolean =>
  isBeyondMost(affiliates, referrals, sales)

/** A condition on the entry `c` for a file, which has everything that the text stands for. */
export const isFound = (accountId: number, { text, ofEmail }: Searched): Sql => sql`(
  (${numberIn(text, 'commission')}::text IS NULL AND c.affiliate_id IN (${affiliatesLike(accountId, text, null)}))
  OR c.referral_id IN (${referralsLike(accountId, text, ofEmail, null)})
  OR c.sale_id IN (${creditedSalesLike(accountId, text, null)})
  OR c.id = ${numberIn(text, 'commission')}::bigint)`

/** A condition on the entry `c`: what a referral of this source earned. */
export const isOfAskedSource = (
  accountId: number,
  query: Parameters<typeof askedSource>[0],
): Sql | undefined =>
  when(askedSource(query), source => isOfSource(accountId, source, sql`c`, sql`c.referral_id`))

/** What the referrals of a source earned, for a page of the list. */
export function lookForCommissions(
  db: Db,
  accountId: number,
  query: Omit<DashboardQuery<'listCommissions'>, 'q'>,
  source: Source,
  searched?: SearchedFor,
): Promise<LookedThrough | undefined> {
  const most = mostLookedAt(query.limit, searched && searched.affiliates.length + searched.referrals.length)
  const { condition, order } = firstEntries(accountId, query, most, searched)
  return db.first(sql`
    WITH looked_at AS MATERIALIZED (
      SELECT c.id, c.referral_id, c.campaign_id, c.affiliate_id FROM commissions c
       WHERE c.account_id = ${accountId} AND ${condition} ORDER BY ${order} LIMIT ${most}
    ), wanted AS (
      SELECT c.id FROM looked_at c WHERE ${isOfSource(accountId, source, sql`c`, sql`c.referral_id`)} ORDER BY ${order}
       LIMIT ${rowsAfter(query.limit)}
    )
    SELECT ${lookedThrough(most)}`)
}
