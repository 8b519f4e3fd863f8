import { type CodeRow, listCodes, makeFailedCodesDue } from '../../connectors/codes/code.store.ts'
import { assignCode, listProviderCodes } from '../../connectors/codes/manage-codes.ts'
import { getConnector } from '../../connectors/manage-connectors.ts'
import { listFile } from '../../kit/list-file.ts'
import { pageAfter } from '../../kit/page.ts'
import { affiliatesOfCodes } from '../../programme/affiliates/affiliate.store.ts'
import { couponCodeKey } from '../../programme/affiliates/affiliate.ts'
import type { DashboardCall, DashboardHandlers } from '../call.ts'

function presentCode({ is_active, ...code }: CodeRow) {
  const settled = is_active ? ('active' as const) : ('inactive' as const)
  const made = code.external_id === null ? ('pending' as const) : settled
  return { ...code, status: code.problem === null ? made : ('failed' as const) }
}

type CodesCall = Pick<DashboardCall<'listConnectorCodes'>, 'db' | 'accountId' | 'id' | 'query'>

async function codesPage({ db, accountId, id, query }: CodesCall) {
  const { data, next } = pageAfter(await listCodes(db, accountId, id, query), query.limit)
  return { data: data.map(presentCode), next }
}

export const codeDashboard: DashboardHandlers<
  | 'listConnectorCodes'
  | 'exportConnectorCodes'
  | 'listProviderCodes'
  | 'assignConnectorCode'
  | 'retryConnectorCodes'
> = {
  listConnectorCodes: async call => {
    await getConnector(call.db, call.accountId, call.id)
    return codesPage(call)
  },
  exportConnectorCodes: async ({ db, files, accountId, id }) => {
    await getConnector(db, accountId, id)
    return listFile(
      `connector-${id}-codes.csv`,
      [
        'id',
        'created_at',
        'code',
        'affiliate_id',
        'affiliate_email',
        'affiliate_name',
        'status',
        'external_id',
        'problem',
      ],
      page => codesPage({ db: files, accountId, id, query: page }),
    )
  },
  listProviderCodes: async ({ db, secrets, accountId, id }) => {
    const codes = await listProviderCodes({ db, secrets }, accountId, id)
    const keys = codes.map(({ code }) => couponCodeKey(code))
    const owners = await affiliatesOfCodes(db, accountId, keys)
    return {
      data: codes.map(({ id, code, coupon }) => ({
        id,
        code,
        coupon,
        affiliate_id: owners.get(couponCodeKey(code)) ?? null,
      })),
    }
  },
  assignConnectorCode: async ({ db, secrets, accountId, id, body, note }) => {
    const { code_id: codeId, affiliate_id: affiliateId } = body
    const result = await assignCode({ db, secrets }, accountId, id, { codeId, affiliateId })
    note({ affiliate_id: affiliateId, code: result.code })
    return result
  },
  retryConnectorCodes: async ({ db, accountId, id, note }) => {
    await getConnector(db, accountId, id)
    const codes = await makeFailedCodesDue(db, accountId, id)
    note({ codes })
    return { codes }
  },
}
