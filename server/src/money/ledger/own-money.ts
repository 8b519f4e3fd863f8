import { type Sql, sql } from '../../db/sql.ts'

/*
 * The single definition of an affiliate's money, as conditions on the entry aliased `c`. Balances, lists, statements, charts, the portal and
 * payouts all use these; `server/test/own-money.test.ts` rejects any other spelling.
 */

/** Belongs to the affiliate: a referee's reward is recorded among their entries but belongs to the referee. */
export const isTheirs: Sql = sql`c.beneficiary <> 'referee'`

/** Not test data. Test referrals are few, and an index finds them. */
export const isReal = (accountId: number): Sql => sql`NOT EXISTS (
  SELECT 1 FROM referrals t WHERE t.account_id = ${accountId} AND t.id = c.referral_id AND t.is_test)`

/** Belongs to the affiliate and is not test data. Whether it is void depends on the point in time. */
export const isOwn = (accountId: number): Sql => sql`${isTheirs} AND ${isReal(accountId)}`

/** Counts towards the balance: belongs to the affiliate, is not test data and not void. */
export const isOwed = (accountId: number): Sql => sql`${isOwn(accountId)} AND c.status <> 'void'`
