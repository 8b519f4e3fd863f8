import type { ListCommissionsQuery } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { all, inRange, sql, when } from '../../db/sql.ts'
import { rowsToFetch } from '../../kit/page.ts'
import { withShownDescriptions } from '../ledger/credit-outcome.ts'
import { entryColumns } from '../ledger/entries.ts'
import type { CommissionRow } from './commission.ts'

export async function findCommission(
  db: Db,
  accountId: number,
  id: number,
): Promise<CommissionRow | undefined> {
  const found = await db.many<CommissionRow>(
    sql`SELECT ${entryColumns} FROM commissions c WHERE c.account_id = ${accountId} AND c.id = ${id}`,
  )
  return (await withShownDescriptions(db, accountId, found))[0]
}

export async function listCommissions(
  db: Db,
  accountId: number,
  query: ListCommissionsQuery,
): Promise<CommissionRow[]> {
  const filters = all(
    ...inRange(sql`c.id`, sql`c.created_at`, query),
    when(query.campaign_id, id => sql`c.campaign_id = ${id}`),
    when(query.affiliate_id, id => sql`c.affiliate_id = ${id}`),
    when(query.referral_id, id => sql`c.referral_id = ${id}`),
    when(query.status, status => sql`c.status = ${status}`),
    when(query.entry_type, type => sql`c.entry_type = ${type}`),
    when(query.beneficiary, beneficiary => sql`c.beneficiary = ${beneficiary}`),
    // Test referrals are few and indexed: they are read once, instead of every entry's referral.
    when(
      query.is_test,
      isTest => sql`coalesce(c.referral_id IN (
      SELECT r.id FROM referrals r WHERE r.account_id = ${accountId} AND r.is_test), false) = ${isTest}`,
    ),
  )
  const entries = await db.many<CommissionRow>(sql`
    SELECT ${entryColumns} FROM commissions c WHERE c.account_id = ${accountId} AND ${filters}
    ORDER BY c.id DESC LIMIT ${rowsToFetch(query.limit)}`)
  return withShownDescriptions(db, accountId, entries)
}
