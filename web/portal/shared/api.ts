import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Me, PortalBody, PortalQuery, PortalResult } from '@tributary/contract/portal'
import { type PortalRouteId, portalRoutes } from '@tributary/contract/portal/routes'
import { ApiError, queryText, send } from '../../ui/send.ts'
import { look } from './look.ts'
import { queryKeys } from './query-keys.ts'

export interface CallInput<Id extends PortalRouteId> {
  id?: number
  query?: PortalQuery<Id>
  body?: PortalBody<Id>
}

let csrf = ''

/** Where a call is answered; files are plain links to it. */
export function addressOf<Id extends PortalRouteId>(route: Id, input: CallInput<Id> = {}): string {
  const [, path] = portalRoutes[route]
  return `${look.base}/api/${path.replace('{id}', String(input.id))}${queryText(input.query)}`
}

export async function call<Id extends PortalRouteId>(
  route: Id,
  input: CallInput<Id> = {},
): Promise<PortalResult<Id>> {
  const [method] = portalRoutes[route]
  const answer = await send(
    addressOf(route, input),
    method,
    csrf,
    method === 'GET' ? undefined : (input.body ?? {}),
  )
  const result = await answer.json()
  if (route === 'getMe') csrf = (result as Me).csrf_token
  return result
}

/** What a call gives, kept fresh; what was shown stays until the next answer is there. */
export const useCall = <Id extends PortalRouteId>(route: Id, input: CallInput<Id> = {}) =>
  useQuery({
    queryKey: queryKeys.call(route, input),
    queryFn: () => call(route, input),
    placeholderData: keepPreviousData,
  })

/**
 * Who is signed in, null where nobody is. That is an answer and no failure: a failure would be forgotten while it is asked again,
 * and with it what somebody had typed into the page that asks them to sign in.
 */
export const useWhoever = () =>
  useQuery({
    queryKey: queryKeys.call('getMe'),
    queryFn: () =>
      call('getMe').catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return null
        throw error
      }),
  })

/** A change. Everything that is shown is asked again afterwards. */
export function useChange<Id extends PortalRouteId>(route: Id, onDone?: (result: PortalResult<Id>) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: CallInput<Id>) => call(route, input),
    onSuccess: async result => {
      onDone?.(result)
      await queries.invalidateQueries()
    },
  })
}
