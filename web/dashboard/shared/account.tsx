import { notifications } from '@mantine/notifications'
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DashboardResult, SessionInfo } from '@tributary/contract/dashboard'
import { may, type Permission, type Role } from '@tributary/contract/dashboard/permissions'
import type { DashboardRouteId } from '@tributary/contract/dashboard/routes'
import { createContext, useContext } from 'react'
import { ApiError, type CallInput, call } from './api.ts'
import { texts } from './en.ts'
import { queryKeys } from './query-keys.ts'

export interface Account {
  id: number
  name: string
  slug: string
  /** The time zone of its reports. */
  time_zone: string
  role: Role
}

const AccountContext = createContext<{ account: Account; session: SessionInfo } | null>(null)
export const AccountProvider = AccountContext.Provider

/** The account that is open. */
export function useAccount(): Account {
  const context = useContext(AccountContext)
  if (!context) throw new Error('useAccount needs an AccountProvider above it.')
  return context.account
}

export function useSessionInfo(): SessionInfo {
  const context = useContext(AccountContext)
  if (!context) throw new Error('useSessionInfo needs an AccountProvider above it.')
  return context.session
}

/** The address of a page of this account. */
export function usePath(): (page: string) => string {
  const { slug } = useAccount()
  return page => `/${slug}/${page}`
}

/** Whether the user has this permission. The server checks it too; this only hides what would be refused. */
export const useMay = (permission: Permission) => may(useAccount().role, permission)

/** A cached call. With `keepsPrevious`, the old data stays on screen until the new response is in. */
export function useCall<Id extends DashboardRouteId>(
  route: Id,
  input: CallInput<Id> = {},
  {
    keepsPrevious,
    ...options
  }: { refetchInterval?: number | false; enabled?: boolean; keepsPrevious?: boolean } = {},
) {
  const account = useAccount()
  return useQuery(
    queryOptions({
      queryKey: queryKeys.call(account.id, route, input),
      queryFn: () => call(account.id, route, input),
      ...(keepsPrevious && { placeholderData: keepPreviousData }),
      ...options,
    }),
  )
}

/** A mutation: shows a toast on success or failure, then invalidates every query of the account. */
export function useChange<Id extends DashboardRouteId>(
  route: Id,
  options: {
    done?: string | ((result: DashboardResult<Id>) => string | null)
    onDone?: (result: DashboardResult<Id>) => void
    /** The form shows the error itself. */
    isQuiet?: boolean
  } = {},
) {
  const account = useAccount()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: CallInput<Id>) => call(account.id, route, input),
    onSuccess: result => {
      const message = typeof options.done === 'function' ? options.done(result) : options.done
      if (message) notifications.show({ message, color: 'teal' })
      options.onDone?.(result)
    },
    onError: options.isQuiet ? undefined : showError,
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.account(account.id) }),
  })
}

export const showError = (error: Error) => {
  notifications.show({
    title: error instanceof ApiError && error.status === 403 ? texts.states.notAllowed : texts.states.failed,
    message: error.message,
    color: 'red',
    autoClose: 8000,
  })
}
