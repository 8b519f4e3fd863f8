import { type Sql, sql } from '../../db/sql.ts'
import { isOfCountedSale } from './entries.ts'
import { isOwed } from './own-money.ts'

/** What reports count as commission, as a condition on the entry aliased `c`: earned, before refunds, and by a referral that counts. */
export const countsAsEarned = (accountId: number): Sql => sql`
  c.entry_type = 'earned' AND ${isOwed(accountId)} AND ${isOfCountedSale(accountId)} AND NOT EXISTS (
    SELECT 1 FROM referrals x WHERE x.account_id = ${accountId} AND x.id = c.referral_id AND x.status = 'rejected')`
