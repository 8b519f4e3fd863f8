import type { CommissionSummary, DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import { streamCommissions } from '../../money/commissions/commission-list.store.ts'
import type { Searched } from '../search/searched.ts'
import { isFound, isOfAskedSource } from './commission-search.store.ts'

const header = csvLine(
  'entry created_at type status beneficiary affiliate_id affiliate_email affiliate_name campaign_id campaign referral customer is_test amount currency payout_amount payout_currency hold_until description'.split(
    ' ',
  ),
)

const lineOf = (line: CommissionSummary): string =>
  csvLine([
    line.id,
    line.created_at,
    line.entry_type,
    line.status,
    line.beneficiary,
    line.affiliate_id,
    line.affiliate_email,
    line.affiliate_name,
    line.campaign_id,
    line.campaign_name,
    line.referral_id,
    line.customer_ref,
    String(line.is_test),
    formatMinor(line.amount_minor, line.currency),
    line.currency,
    formatMinor(line.payout_amount_minor, line.payout_currency),
    line.payout_currency,
    line.hold_until,
    line.description,
  ])

/** The commissions as a file of any length. */
export async function* csvCommissions(
  db: Db,
  accountId: number,
  query: DashboardQuery<'exportCommissions'>,
  searched?: Searched,
): AsyncGenerator<string> {
  yield header
  const also = [searched && isFound(accountId, searched), isOfAskedSource(accountId, query)]
  for await (const lines of streamSnapshot(db, tx => streamCommissions(tx, accountId, query, ...also)))
    yield lines.map(lineOf).join('')
}
