import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { NewEntry } from './entry.ts'
import { assertTotals, LARGE_MINOR, sumOfLargeEntries } from './totals.ts'

/** What is read ahead of the entries of a new sale, so that they are written without waiting for a result. */
export interface DrawnEntries {
  /** One for each of the two sides of a referral campaign. */
  entry_ids: number[]
  created_at: string
  large_minor: number
}

export const drawnEntries = (accountId: number): Sql => sql`
  ARRAY[nextval('commissions_id_seq'), nextval('commissions_id_seq')] AS entry_ids, now()::timestamptz(3) AS created_at,
  ${sumOfLargeEntries(accountId)} AS large_minor`

/**
 * Inserts an entry of a sale that this transaction has inserted, under a drawn id; undefined if none is left. `noted` is a WITH query that
 * runs beside it, on the entries before. An entry that would push a total out of range is rejected.
 */
export async function insertDrawnEntry(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
  drawn: DrawnEntries,
  noted: (id: number) => Sql,
): Promise<Commission | undefined> {
  const id = drawn.entry_ids.shift()
  if (id === undefined) return undefined
  tx.send(sql`
    WITH ${noted(id)}
    INSERT INTO commissions (account_id, id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor,
      currency, payout_amount_minor, payout_currency, status, hold_until, description, created_at, sale_id, rule_version, fx_rate,
      fx_source)
    OVERRIDING SYSTEM VALUE
    VALUES (${accountId}, ${id}, ${entry.campaign_id}, ${entry.affiliate_id}, ${entry.referral_id}, ${entry.entry_type},
      ${entry.beneficiary}, ${entry.amount_minor}, ${entry.currency}, ${entry.payout_amount_minor}, ${entry.payout_currency},
      ${entry.status}, ${entry.hold_until}, ${entry.description}, ${drawn.created_at}, ${entry.sale_id ?? null},
      ${entry.rule_version ?? null}, ${entry.fx_rate ?? null}, ${entry.fx_source ?? null})`)
  await assertTotals(tx, accountId, entry, drawn.large_minor)
  if (entry.payout_amount_minor >= LARGE_MINOR) drawn.large_minor += Number(entry.payout_amount_minor)
  return {
    ...entry,
    id,
    amount_minor: Number(entry.amount_minor),
    payout_amount_minor: Number(entry.payout_amount_minor),
    created_at: drawn.created_at,
  }
}
