import type { Db, Tx } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import { localMoment } from '../../programme/accounts/local-time.store.ts'
import { withOutcome } from '../ledger/credit-outcome.ts'
import { type StatementLine, streamStatement } from '../ledger/statement.ts'

const columns =
  'date entry type status campaign customer description amount currency payout_amount payout_currency balance'

/** `date` is a timestamp in UTC, for programs; the last column is the day by the company's calendar, for people. */
const headerOf = (timeZone: string) => csvLine([...columns.split(' '), `day (${timeZone})`])

/** Redacts customer details for affiliates. The company itself sees everything. */
export interface Mask {
  customer(ref: string | null): string | null
  text(description: string | null, isOfSale: boolean): string | null
}

const unmasked: Mask = { customer: ref => ref, text: description => description }

const lineOf = (line: StatementLine, { customer, text }: Mask): string =>
  csvLine([
    line.created_at,
    line.id,
    line.entry_type,
    line.status_then,
    line.campaign_name,
    customer(line.customer_ref),
    withOutcome(text(line.description, line.referral_id !== null), line.outcome),
    formatMinor(line.amount_minor, line.currency),
    line.currency,
    formatMinor(line.payout_amount_minor, line.payout_currency),
    line.payout_currency,
    // Credit is not part of the balance: its lines, and clawbacks of it, have none.
    line.is_credit ? '' : formatMinor(line.balance_minor, line.payout_currency),
    line.day,
  ])

/** The affiliate's statement: every entry up to `asOf`, with the running balance. */
export async function* statementPages(
  db: Db,
  accountId: number,
  affiliateId: number,
  asOf: string | undefined,
  mask: Mask = unmasked,
): AsyncGenerator<string> {
  // Read once: the heading and every line are of the same zone, even if it is changed while the file is written.
  const { time_zone: timeZone, at } = await localMoment(db, accountId, asOf)
  yield headerOf(timeZone)
  const stream = (tx: Tx) => streamStatement(tx, accountId, affiliateId, timeZone, asOf && at)
  for await (const lines of streamSnapshot(db, stream)) yield lines.map(line => lineOf(line, mask)).join('')
}

/** The same, without backpressure. */
export async function csvStatement(
  db: Db,
  accountId: number,
  affiliateId: number,
  asOf: string | undefined,
  write: (text: string) => void,
): Promise<void> {
  for await (const page of statementPages(db, accountId, affiliateId, asOf)) write(page)
}
