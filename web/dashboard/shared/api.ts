import type {
  DashboardBody,
  DashboardQuery,
  DashboardResult,
  SessionInfo,
} from '@tributary/contract/dashboard'
import { type DashboardRouteId, dashboardRoutes } from '@tributary/contract/dashboard/routes'
import { ApiError, queryText, send } from '../../ui/send.ts'

export { ApiError }

/** Whether a call was refused because its session has ended, or isn't that of the page any more. */
export const isSignedOut = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 401

let csrf = ''

const sendToDashboard = (method: string, path: string, body?: unknown) =>
  send(`/dashboard/api/${path}`, method, csrf, body)

/** A call outside any account: sign-in, setup, password reset. */
export async function personCall<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  return (await sendToDashboard(method, path, method === 'GET' ? undefined : (body ?? {}))).json()
}

export async function fetchSession(): Promise<SessionInfo> {
  const session = await personCall<SessionInfo>('GET', 'session')
  csrf = session.csrf_token
  return session
}

export interface CallInput<Id extends DashboardRouteId> {
  id?: number
  query?: DashboardQuery<Id>
  body?: DashboardBody<Id>
}

export function pathOf<Id extends DashboardRouteId>(
  accountId: number,
  route: Id,
  input: CallInput<Id> = {},
): string {
  const [, path] = dashboardRoutes[route]
  return `accounts/${accountId}/${path.replace('{id}', String(input.id))}${queryText(input.query)}`
}

/** Calls a route of the contract on an account. */
export async function call<Id extends DashboardRouteId>(
  accountId: number,
  route: Id,
  input: CallInput<Id> = {},
): Promise<DashboardResult<Id>> {
  const [method] = dashboardRoutes[route]
  const response = await sendToDashboard(
    method,
    pathOf(accountId, route, input),
    method === 'GET' ? undefined : (input.body ?? {}),
  )
  return response.json()
}

/** Downloads a file that only a POST produces; lists are plain links instead. */
export async function download<Id extends DashboardRouteId>(
  accountId: number,
  route: Id,
  input: CallInput<Id>,
): Promise<void> {
  const [method] = dashboardRoutes[route]
  const response = await sendToDashboard(method, pathOf(accountId, route, input), input.body ?? {})
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'file.csv'
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
