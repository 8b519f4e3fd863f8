import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { invalid } from '../../kit/domain-error.ts'
import type { NewEntry } from './entry.ts'

/**
 * No total of an affiliate or a campaign may leave ±(2^53 − 1). Adding up a campaign for each sale would take longer than the sale,
 * so an entry passes on what one look at a small index proves: the large entries of the account, of which most accounts have none,
 * add up to less than half of that. The rest cannot be made of small ones: it would take 450,000 of nearly 10^10 minor units each.
 * Payouts are not counted, since they only take away what was counted before.
 */
export const sumOfLargeEntries = (accountId: number): Sql => sql`coalesce((
  SELECT sum(abs(x.payout_amount_minor)) FROM commissions x
   WHERE x.account_id = ${accountId} AND x.entry_type <> 'payout' AND abs(x.payout_amount_minor) >= 10000000000), 0)`

const HALF = 2 ** 52
/** A thousand of these at once, none of which sees the others, still fit into the other half. */
const LARGEST_UNCHECKED = 2 ** 42

/** Adds up after all, one large entry after the other, and refuses the one that is too much. It has been written already, and goes with the transaction. */
export async function assertTotals(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
  largeBeforeMinor: number,
): Promise<void> {
  const amount = Math.abs(Number(entry.payout_amount_minor))
  if (amount <= LARGEST_UNCHECKED && largeBeforeMinor + amount <= HALF) return
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
      throw invalid('amount_minor', `is too much: the total of the ${whose} would go beyond 2^53 − 1`)
}
