import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { all, type Sql, sql, when } from '../../db/sql.ts'
import { ownCreditOutcome } from './credit-outcome.ts'
import { entryColumns, isCredit } from './entries.ts'
import { isOwn } from './own-money.ts'
import { statusThen } from './status-then.ts'

export interface StatementLine extends Commission {
  campaign_name: string
  /** Its calendar day in the time zone of the statement. */
  day: string
  customer_ref: string | null
  /** The status at that time: an entry paid or voided later was still approved or pending. */
  status_then: Commission['status']
  /** Whether it is credit or a clawback of credit, which is not money. */
  is_credit: boolean
  /** What happened at the billing provider to credit, up to now. */
  outcome: string | null
  /** The balance in this currency after the entry, excluding store credit. */
  balance_minor: number
  /** The credit in this currency after the entry. */
  credit_balance_minor: number
}

/**
 * An affiliate's entries at a point in time, each with its status then: an entry voided later still counts. Test data and referees'
 * rewards are excluded.
 */
const linesOf = (
  accountId: number,
  affiliateId: number,
  timeZone: string,
  asOf: string | undefined,
): Sql => sql`
  line AS (
    SELECT ${entryColumns}, to_char(c.created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD') AS day, g.name AS campaign_name, r.customer_ref, ${statusThen(accountId, asOf)} AS status_then,
           ${isCredit(accountId)} AS is_credit, ${ownCreditOutcome(accountId)} AS outcome
      FROM commissions c
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
     WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId} AND ${isOwn(accountId)}
       AND ${all(when(asOf, time => sql`c.created_at <= ${time}`))}
  )`

/** All lines, oldest first, with the running balance. */
export function streamStatement(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  timeZone: string,
  asOf?: string,
): AsyncGenerator<StatementLine[]> {
  return tx.stream(sql`
    WITH ${linesOf(accountId, affiliateId, timeZone, asOf)}
    SELECT line.*, ${runningSum(false)} AS balance_minor, ${runningSum(true)} AS credit_balance_minor FROM line ORDER BY line.id`)
}

/** The total of a statement in one currency. */
export interface StatementTotal {
  currency: string
  lines: number
  balance_minor: number
  credit_balance_minor: number
}

/**
 * The newest lines, oldest first, and the totals of all lines. The caller opens the snapshot. Streamed, because a cursor is planned every
 * time: a cached plan from ten entries took more than a minute for 5,000.
 */
export async function readNewestLines(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  timeZone: string,
  most: number,
  asOf?: string,
): Promise<{ lines: StatementLine[]; totals: StatementTotal[] }> {
  const lines = await allOf(
    tx.stream<StatementLine>(sql`
    WITH ${linesOf(accountId, affiliateId, timeZone, asOf)}
    SELECT line.*, ${runningSum(false)} AS balance_minor, ${runningSum(true)} AS credit_balance_minor
      FROM line ORDER BY line.id DESC LIMIT ${most}`),
  )
  const totals = await allOf(
    tx.stream<StatementTotal>(sql`
    WITH ${linesOf(accountId, affiliateId, timeZone, asOf)}
    SELECT line.payout_currency AS currency, count(*)::integer AS lines, ${sum(false)} AS balance_minor,
           ${sum(true)} AS credit_balance_minor
      FROM line GROUP BY line.payout_currency ORDER BY min(line.id)`),
  )
  return { lines: lines.reverse(), totals }
}

async function allOf<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}

const sum = (isCredit: boolean): Sql => sql`coalesce(sum(line.payout_amount_minor)
  FILTER (WHERE line.is_credit = ${isCredit} AND line.status_then <> 'void'), 0)`

const runningSum = (isCredit: boolean): Sql => sql`coalesce(sum(line.payout_amount_minor)
  FILTER (WHERE line.is_credit = ${isCredit} AND line.status_then <> 'void')
  OVER (PARTITION BY line.payout_currency ORDER BY line.id ROWS UNBOUNDED PRECEDING), 0)`
