import type {
  DashboardBody,
  DashboardQuery,
  DashboardResult,
  SessionInfo,
} from '@tributary/contract/dashboard'
import { type DashboardRouteId, dashboardRoutes } from '@tributary/contract/dashboard/routes'
import { queryText, send } from '../../ui/send.ts'

export { ApiError } from '../../ui/send.ts'

let csrf = ''

const sendToDashboard = (method: string, path: string, body?: unknown) =>
  send(`/dashboard/api/${path}`, method, csrf, body)

/** A call that concerns the person and no account: signing in, setting up, a new password. */
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

/** Makes a call of the contract on an account. */
export async function call<Id extends DashboardRouteId>(
  accountId: number,
  route: Id,
  input: CallInput<Id> = {},
): Promise<DashboardResult<Id>> {
  const [method] = dashboardRoutes[route]
  const answer = await sendToDashboard(
    method,
    pathOf(accountId, route, input),
    method === 'GET' ? undefined : (input.body ?? {}),
  )
  return answer.json()
}

/** Downloads a file that a change makes; lists are plain links instead. */
export async function download<Id extends DashboardRouteId>(
  accountId: number,
  route: Id,
  input: CallInput<Id>,
): Promise<void> {
  const [method] = dashboardRoutes[route]
  const answer = await sendToDashboard(method, pathOf(accountId, route, input), input.body ?? {})
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? 'file.csv'
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
