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

/** The URL of a call; downloads link to it directly. */
export function addressOf<Id extends PortalRouteId>(route: Id, input: CallInput<Id> = {}): string {
  const [, path] = portalRoutes[route]
  return `${look.base}/api/${path.replace('{id}', String(input.id))}${queryText(input.query)}`
}

export async function call<Id extends PortalRouteId>(
  route: Id,
  input: CallInput<Id> = {},
): Promise<PortalResult<Id>> {
  const [method] = portalRoutes[route]
  const response = await send(
    addressOf(route, input),
    method,
    csrf,
    method === 'GET' ? undefined : (input.body ?? {}),
  )
  const result = await response.json()
  if (route === 'getMe') csrf = (result as Me).csrf_token
  return result
}

/** The result of a call. By default the previous data stays on screen until the next response arrives. */
export const useCall = <Id extends PortalRouteId>(
  route: Id,
  input: CallInput<Id> = {},
  { enabled = true, keepsPrevious = true }: { enabled?: boolean; keepsPrevious?: boolean } = {},
) =>
  useQuery({
    queryKey: queryKeys.call(route, input),
    queryFn: () => call(route, input),
    enabled,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  })

/**
 * The signed-in affiliate, or null. A 401 is a result and not an error: an error is cleared on refetch, which would unmount the
 * sign-in form and lose what was typed into it.
 */
export const useSession = () =>
  useQuery({
    queryKey: queryKeys.call('getMe'),
    queryFn: () =>
      call('getMe').catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return null
        throw error
      }),
  })

/** A mutation. All queries are refetched afterwards. */
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
