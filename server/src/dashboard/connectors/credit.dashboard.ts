import { makeFailedCreditsDue } from '../../connectors/credits/credit.store.ts'
import { listCredits, presentCredit } from '../../connectors/credits/credit-list.store.ts'
import { getConnector } from '../../connectors/manage-connectors.ts'
import { listFile } from '../../kit/list-file.ts'
import { formatMinor } from '../../kit/money.ts'
import { pageAfter } from '../../kit/page.ts'
import type { DashboardCall, DashboardHandlers } from '../call.ts'

type CreditsCall = Pick<DashboardCall<'listConnectorCredits'>, 'db' | 'accountId' | 'id' | 'query'>

async function creditsPage({ db, accountId, id, query }: CreditsCall) {
  const { data, next } = pageAfter(await listCredits(db, accountId, id, query), query.limit)
  return { data: data.map(presentCredit), next }
}

export const creditDashboard: DashboardHandlers<
  'listConnectorCredits' | 'exportConnectorCredits' | 'retryConnectorCredits'
> = {
  listConnectorCredits: async call => {
    await getConnector(call.db, call.accountId, call.id)
    return creditsPage(call)
  },
  exportConnectorCredits: async ({ db, files, accountId, id }) => {
    await getConnector(db, accountId, id)
    return listFile(
      `connector-${id}-credits.csv`,
      [
        'id',
        'created_at',
        'commission_id',
        'beneficiary',
        'amount',
        'currency',
        'status',
        'customer',
        'external_id',
        'problem',
      ],
      async page => {
        const { data, next } = await creditsPage({ db: files, accountId, id, query: page })
        return {
          data: data.map(credit => ({
            ...credit,
            amount: formatMinor(credit.amount_minor, credit.currency),
          })),
          next,
        }
      },
    )
  },
  retryConnectorCredits: async ({ db, accountId, id, note }) => {
    await getConnector(db, accountId, id)
    const credits = await makeFailedCreditsDue(db, accountId, id)
    note({ credits })
    return { credits }
  },
}
