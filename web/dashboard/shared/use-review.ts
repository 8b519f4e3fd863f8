import { notifications } from '@mantine/notifications'
import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { BulkResult, DashboardBody } from '@tributary/contract/dashboard'
import { showError, useAccount } from './account.tsx'
import { type CallInput, call } from './api.ts'
import { texts } from './en.ts'
import { queryKeys, statusFilterOf } from './query-keys.ts'
import { reviewNotices } from './review-notices.ts'
import { type Shown, showDecision } from './show-decision.ts'

export type ReviewRoute = 'reviewAffiliates' | 'reviewReferrals' | 'reviewCommissions'
export type DecisionOf<Id extends ReviewRoute> = DashboardBody<Id>['status']

export type ShownStatuses = Pick<DashboardBody<'reviewAffiliates'>, 'from'>

interface Decision<Id extends ReviewRoute> extends ShownStatuses {
  ids: number[]
  status: DecisionOf<Id>
  reason?: string
  share_reason?: boolean
}

/** Where the decided rows are shown: in lists, and each on its own page. */
const places = {
  reviewAffiliates: { list: 'listAffiliates', page: 'getAffiliate', noun: texts.review.nouns.affiliate },
  reviewReferrals: { list: 'listReferrals', page: 'getReferral', noun: texts.review.nouns.referral },
  reviewCommissions: { list: 'listCommissions', page: 'getCommission', noun: texts.review.nouns.commission },
} as const

/** Applies the decision to the cache optimistically. Returns the previous data, for a rollback. */
async function showAtOnce(queries: QueryClient, keys: QueryKey[], ids: number[], status: string) {
  const before: [QueryKey, unknown][] = []
  for (const queryKey of keys) {
    await queries.cancelQueries({ queryKey })
    for (const [key, shown] of queries.getQueriesData<Shown>({ queryKey })) {
      before.push([key, shown])
      queries.setQueryData(key, showDecision(shown, statusFilterOf(key), new Set(ids), status))
    }
  }
  return before
}

/** Approves, rejects or voids rows after confirmation. The page updates optimistically and rolls back on an error. */
export function useReview<Id extends ReviewRoute>(route: Id) {
  const account = useAccount()
  const queries = useQueryClient()
  const { list, page, noun } = places[route]
  const keys = [list, page].map(name => queryKeys.route(account.id, name))
  return useMutation({
    mutationFn: (body: Decision<Id>) =>
      call(account.id, route, { body } as CallInput<Id>) as Promise<BulkResult>,
    onMutate: ({ ids, status }) => showAtOnce(queries, keys, ids, status),
    onSuccess: (result, { status }) => {
      for (const notice of reviewNotices(result, noun, status)) notifications.show(notice)
    },
    onError: (error, _decision, before) => {
      for (const [key, shown] of before ?? []) queries.setQueryData(key, shown)
      showError(error)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.account(account.id) }),
  })
}

/** The most rows in one request. */
export const MOST_ROWS = 500
