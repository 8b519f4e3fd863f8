import { type Sql, sql } from '../../db/sql.ts'

/*
 * What counts as an affiliate's money, said once: of the entry that a statement calls `c`. Balances, lists, statements, charts, the
 * portal and payouts are filtered by these alone; `server/test/own-money.test.ts` refuses another spelling.
 */

/** It is theirs: a reward of the one they referred is noted beside their entries and belongs to somebody else. */
export const isTheirs: Sql = sql`c.beneficiary <> 'referee'`

/** It comes from no test. There are few tests, and each is found by an index. */
export const isReal = (accountId: number): Sql => sql`NOT EXISTS (
  SELECT 1 FROM referrals t WHERE t.account_id = ${accountId} AND t.id = c.referral_id AND t.is_test)`

/** It is theirs and real. Whether it is void depends on the time that is asked about. */
export const isOwn = (accountId: number): Sql => sql`${isTheirs} AND ${isReal(accountId)}`

/** It is theirs, real and not void: what a balance is the sum of. */
export const isOwed = (accountId: number): Sql => sql`${isOwn(accountId)} AND c.status <> 'void'`
