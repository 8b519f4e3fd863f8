import { decideSignal, holdAffiliate } from '../../insight/signals/decide-signal.ts'
import { listSignals } from '../../insight/signals/signal-list.store.ts'
import { listFile } from '../../kit/list-file.ts'
import { pageAfter } from '../../kit/page.ts'
import type { DashboardHandlers } from '../call.ts'

export const signalDashboard: DashboardHandlers<
  'listSignals' | 'exportSignals' | 'decideSignal' | 'holdAffiliate'
> = {
  listSignals: async ({ db, accountId, query }) =>
    pageAfter(await listSignals(db, accountId, query), query.limit),

  exportSignals: async ({ db, accountId, query }) =>
    listFile(
      'signals.csv',
      [
        ...([
          'id',
          'kind',
          'status',
          'score',
          'parts',
          'affiliate_id',
          'affiliate_name',
          'affiliate_email',
        ] as const),
        ...(['is_held', 'others', 'campaign_id', 'campaign_name', 'in_review'] as const),
        ...(['decision', 'reason', 'opened_at', 'decided_at'] as const),
      ],
      async page => pageAfter(await listSignals(db, accountId, { ...query, ...page }), page.limit),
    ),

  decideSignal: async ({ db, accountId, id, body, note }) => {
    const { signal, rejected, left } = await decideSignal(db, accountId, id, body)
    note({
      affiliate_id: signal.affiliate_id,
      signal: signal.kind,
      ...(rejected.length > 0 && { rejected: rejected.length, referral_ids: rejected }),
    })
    return { rejected: rejected.length, left }
  },

  holdAffiliate: async ({ db, accountId, id, body }) => {
    await holdAffiliate(db, accountId, id, body.is_held)
    return {}
  },
}
