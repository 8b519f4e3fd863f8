import type { Commission } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Between the parts of a description. */
const SEPARATOR = ' · '

const where = sql`' at ' || initcap(d.provider)`
const transaction = sql`' (' || d.external_id || ')'`

/** One change of the customer's balance. Of what has not been made, only why it failed. */
const change = sql`CASE
  WHEN d.external_id IS NULL AND d.amount_minor > 0 THEN 'Not granted' || ${where} || ': ' || d.problem
  WHEN d.external_id IS NULL THEN 'Not taken back' || ${where} || ': ' || d.problem
  WHEN d.amount_minor > 0 THEN 'Added to the balance of ' || d.customer || ${where} || ${transaction}
  ELSE CASE WHEN d.left_minor = 0 THEN 'Taken back' ELSE 'Partly taken back' END || ${where} || ${transaction} END`

/**
 * What happened at the billing provider to the credit entry aliased `c`, in the order in which it happened; null for any other. Derived on
 * reading, because the stored description never changes. A change without an ID at the provider rounds to nothing.
 */
const outcome = (accountId: number, condition: Sql): Sql => sql`CASE WHEN c.entry_type = 'credit' THEN (
  SELECT string_agg(${change}, ${SEPARATOR} ORDER BY d.id)
    FROM (SELECT x.id, x.amount_minor, x.customer, x.external_id, x.problem, k.provider,
                 sum(x.amount_minor) OVER (ORDER BY x.id) AS left_minor
            FROM connector_credits x JOIN connectors k ON k.account_id = ${accountId} AND k.id = x.connector_id
           WHERE x.account_id = ${accountId} AND x.commission_id = c.id) d
   WHERE d.external_id IS DISTINCT FROM '' AND ${condition}) END`

/** The description of the entry aliased `c` as the company reads it. */
export const shownDescription = (accountId: number): Sql => sql`
  nullif(concat_ws(${SEPARATOR}, c.description, ${outcome(accountId, sql`true`)}), '')`

/**
 * Entries with their descriptions as the company reads them. In the statement of a page, `shownDescription` takes half as long as all of its
 * entries, even if none is credit: so it's asked for apart, of those that are.
 */
export async function withShownDescriptions<Entry extends Commission>(
  db: Db,
  accountId: number,
  entries: Entry[],
): Promise<Entry[]> {
  const credit = entries.filter(({ entry_type }) => entry_type === 'credit').map(({ id }) => id)
  if (credit.length === 0) return entries
  const rows = await db.many<{ id: number; description: string | null }>(sql`
    SELECT c.id, ${shownDescription(accountId)} AS description FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id = ANY (${credit}::bigint[])`)
  const shown = new Map(rows.map(({ id, description }) => [id, description]))
  return entries.map(entry => ({ ...entry, description: shown.get(entry.id) ?? entry.description }))
}

/** The outcome as the affiliate reads it, whose own balance it is: why a change failed concerns the company only. */
export const ownCreditOutcome = (accountId: number): Sql => outcome(accountId, sql`d.external_id IS NOT NULL`)

/** A description with the outcome of its credit. */
export const withOutcome = (description: string | null, outcome: string | null): string | null =>
  [description, outcome].filter(part => part !== null).join(SEPARATOR) || null
