import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { invalid } from '../../kit/domain-error.ts'
import type { NewEntry } from './entry.ts'

/**
 * No total of an affiliate or campaign may exceed ±(2^53 − 1). Summing a campaign for each sale would take longer than the sale itself, so
 * an entry passes on a cheap check of a small index: the account's large entries, of which most accounts have none, add up to less than half
 * of that. Small entries can't make up the rest: it would take 450,000 of nearly 10^10 minor units each. Payouts are not counted, because
 * they only reduce totals.
 */
export const LARGE_MINOR = 10_000_000_000n

export const sumOfLargeEntries = (accountId: number): Sql => sql`coalesce((
  SELECT sum(abs(x.payout_amount_minor)) FROM commissions x
   WHERE x.account_id = ${accountId} AND x.entry_type <> 'payout' AND abs(x.payout_amount_minor) >= 10000000000), 0)`

const HALF = 2 ** 52
/** A thousand of these in concurrent transactions, which do not see each other, still fit into the other half. */
const MAX_UNCHECKED = 2 ** 42

/** Computes the exact totals for large entries, serialized by a lock, and throws if one is out of range. The entry is already inserted, and is rolled back. */
export async function assertTotals(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
  largeBeforeMinor: number,
): Promise<void> {
  const amount = Math.abs(Number(entry.payout_amount_minor))
  if (amount <= MAX_UNCHECKED && largeBeforeMinor + amount <= HALF) return
  await tx.many(
    sql`SELECT pg_advisory_xact_lock(hashtextextended('totals of an account', ${accountId}::bigint))`,
  )
  const totals = await tx.first<{ affiliate: boolean; campaign: boolean }>(sql`
    SELECT (SELECT coalesce(abs(sum(c.payout_amount_minor)) > 9007199254740991, false) FROM commissions c
             WHERE c.account_id = ${accountId} AND c.affiliate_id = ${entry.affiliate_id} AND c.status <> 'void'
               AND c.payout_currency = ${entry.payout_currency} AND c.entry_type <> 'payout') AS affiliate,
           (SELECT coalesce(abs(sum(c.payout_amount_minor)) > 9007199254740991, false) FROM commissions c
             WHERE c.account_id = ${accountId} AND c.campaign_id = ${entry.campaign_id} AND c.status <> 'void'
               AND c.entry_type <> 'payout') AS campaign`)
  for (const whose of ['affiliate', 'campaign'] as const)
    if (totals?.[whose])
      throw invalid('amount_minor', `is too large: the total of the ${whose} would exceed 2^53 − 1`)
}
