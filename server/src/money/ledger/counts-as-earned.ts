import { type Sql, sql } from '../../db/sql.ts'
import { isCreditGivenBack, isOfCountedSale } from './entries.ts'
import { isOwed } from './own-money.ts'

/** Stands beside a commission that a refund voided: gives it back after the refund was reversed, or takes that again. */
const isBesideVoid = (entry: Sql): Sql => sql`(
  ${entry}.entry_type = 'adjustment' AND ${entry}.sale_id IS NOT NULL AND ${entry}.clawback_of IS NULL)`

/**
 * What reports count as commission, as a condition on the entry aliased `c`: earned, before refunds, and by a referral that counts. A void
 * commission isn't counted, so what is given back of it is.
 */
export const countsAsEarned = (accountId: number): Sql => sql`
  (c.entry_type = 'earned' OR ${isBesideVoid(sql`c`)} AND NOT ${isCreditGivenBack(accountId)})
  AND ${isOwed(accountId)} AND ${isOfCountedSale(accountId)} AND NOT EXISTS (
    SELECT 1 FROM referrals x WHERE x.account_id = ${accountId} AND x.id = c.referral_id AND x.status = 'rejected')`

/** How many commissions an entry `c` that is counted stands for: all that is given back of one, in however many parts, is that one. */
export const commissionsOf = (accountId: number): Sql => sql`
  (c.entry_type = 'earned' OR NOT EXISTS (
    SELECT 1 FROM commissions b
     WHERE b.account_id = ${accountId} AND b.referral_id = c.referral_id AND b.sale_id = c.sale_id AND b.beneficiary = c.beneficiary
       AND b.assignment = c.assignment AND ${isBesideVoid(sql`b`)} AND b.status <> 'void' AND b.id < c.id))::integer`
