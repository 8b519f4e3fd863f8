import type { DashboardQuery, UnattributedConversion } from '@tributary/contract/dashboard'
import { emailsKnownWith } from '../../connectors/known-emails.ts'
import type { Db } from '../../db/database.ts'
import { presentAttribution } from '../../earning/attribution/attribute.ts'
import { creditManually } from '../../earning/conversions/credit-manually.ts'
import { listUnattributed } from '../../earning/conversions/explanation.store.ts'
import { listFile } from '../../kit/list-file.ts'
import { formatMinor } from '../../kit/money.ts'
import { pageAfter } from '../../kit/page.ts'
import type { DashboardHandlers } from '../call.ts'
import { withDays } from '../created-days.ts'

const pageOf = async (
  db: Db,
  accountId: number,
  query: Omit<DashboardQuery<'listUnattributed'>, 'from' | 'until'>,
) => pageAfter(await listUnattributed(db, accountId, query), query.limit)

const lineOf = ({ attribution, sale, ...row }: UnattributedConversion) => ({
  ...row,
  reason: attribution.reason,
  candidates: presentAttribution(attribution).candidates,
  sale: sale?.external_id,
  amount: sale && formatMinor(sale.amount_minor, sale.currency),
  currency: sale?.currency,
})

export const conversionDashboard: DashboardHandlers<
  'listUnattributed' | 'exportUnattributed' | 'creditConversion'
> = {
  creditConversion: ({ db, secrets, accountId, body }) =>
    creditManually(db, accountId, body, emailsKnownWith(secrets.key('lead email'))),
  listUnattributed: async ({ db, accountId, query }) =>
    pageOf(db, accountId, await withDays(db, accountId, query)),
  exportUnattributed: async ({ db, accountId, query }) => {
    const filters = await withDays(db, accountId, query)
    return listFile(
      'not-attributed.csv',
      [
        'id',
        'created_at',
        'occurred_at',
        'customer_ref',
        'campaign_id',
        'campaign_name',
        'reason',
        'sale',
        'amount',
        'currency',
        'candidates',
        'affiliates',
        'customer_email',
      ],
      async page => {
        const { data, next } = await pageOf(db, accountId, { ...filters, ...page })
        return { data: data.map(lineOf), next }
      },
    )
  },
}
