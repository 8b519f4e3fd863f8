import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import { type ReferralLine, streamReferrals } from './referral-list.store.ts'

const header = csvLine(
  'referral created_at occurred_at customer subscription status is_test affiliate_id affiliate_email affiliate_name campaign_id campaign flags revenue customer_email'.split(
    ' ',
  ),
)

const lineOf = (line: ReferralLine): string =>
  csvLine([
    line.id,
    line.created_at,
    line.occurred_at,
    line.customer_ref,
    line.subscription_ref,
    line.status,
    String(line.is_test),
    line.affiliate_id,
    line.affiliate_email,
    line.affiliate_name,
    line.campaign_id,
    line.campaign_name,
    line.flags.join('; '),
    line.revenue
      .map(({ amount_minor, currency }) => `${formatMinor(amount_minor, currency)} ${currency}`)
      .join('; '),
    line.customer_email,
  ])

/** The list of referrals as a file of any length. */
export async function* csvReferrals(
  db: Db,
  accountId: number,
  query: DashboardQuery<'exportReferrals'>,
  ofEmail: number[] = [],
): AsyncGenerator<string> {
  yield header
  for await (const lines of streamSnapshot(db, tx => streamReferrals(tx, accountId, query, ofEmail)))
    yield lines.map(lineOf).join('')
}
