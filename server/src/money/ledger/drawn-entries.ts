import type { Commission } from '@tributary/contract'
import type { Tx, WriteRows } from '../../db/database.ts'
import { asJson, type Sql, sql } from '../../db/sql.ts'
import { hasEarnedNothing, isEarning } from './entries.ts'
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

export interface DrawnEntry extends Omit<NewEntry, 'amount_minor' | 'payout_amount_minor'> {
  id: number
  amount_minor: number
  payout_amount_minor: number
  created_at: string
  is_earning: boolean
}

const given = (entries: DrawnEntry[]): Sql => sql`
  given AS (
    SELECT * FROM json_to_recordset(${asJson(entries)}) AS each (id bigint, campaign_id bigint, affiliate_id bigint, referral_id bigint,
      entry_type text, beneficiary text, amount_minor bigint, currency text, payout_amount_minor bigint, payout_currency text,
      status text, hold_until timestamptz, description text, created_at timestamptz, sale_id bigint, rule_version integer,
      fx_rate numeric, fx_source text, is_earning boolean)
  )`

/** Of an affiliate who has earned nothing before, the oldest of these entries. */
const firstEarnings = (accountId: number): Sql => sql`
  causes AS (
    SELECT DISTINCT ON (g.affiliate_id) g.affiliate_id, jsonb_build_object('commission_id', g.id) AS details FROM given g
     WHERE g.is_earning AND ${hasEarnedNothing(accountId, sql`g.affiliate_id`)} ORDER BY g.affiliate_id, g.id
  )`

/** `noted` is a WITH query that runs beside it, on the first earnings of affiliates among them. */
export const insertDrawnEntries = (tx: Tx, accountId: number, entries: DrawnEntry[], noted: Sql): void =>
  tx.send(sql`
    WITH ${given(entries)}, ${firstEarnings(accountId)}, ${noted}
    INSERT INTO commissions (account_id, id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor,
      currency, payout_amount_minor, payout_currency, status, hold_until, description, created_at, sale_id, rule_version, fx_rate,
      fx_source)
    OVERRIDING SYSTEM VALUE
    SELECT ${accountId}, g.id, g.campaign_id, g.affiliate_id, g.referral_id, g.entry_type, g.beneficiary, g.amount_minor, g.currency,
      g.payout_amount_minor, g.payout_currency, g.status, g.hold_until, g.description, g.created_at, g.sale_id, g.rule_version, g.fx_rate,
      g.fx_source FROM given g`)

/**
 * Inserts an entry of a sale that this transaction has inserted, under a drawn id; undefined if none is left. An entry that would push a
 * total out of range is rejected.
 */
export async function insertDrawnEntry(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
  drawn: DrawnEntries,
  insert: WriteRows<DrawnEntry>,
): Promise<Commission | undefined> {
  const id = drawn.entry_ids.shift()
  if (id === undefined) return undefined
  const drawnEntry = {
    ...entry,
    id,
    amount_minor: Number(entry.amount_minor),
    payout_amount_minor: Number(entry.payout_amount_minor),
    created_at: drawn.created_at,
    is_earning: isEarning(entry),
  }
  tx.sendRows(insert, accountId, [drawnEntry])
  await assertTotals(tx, accountId, entry, drawn.large_minor)
  if (entry.payout_amount_minor >= LARGE_MINOR) drawn.large_minor += Number(entry.payout_amount_minor)
  return drawnEntry
}
