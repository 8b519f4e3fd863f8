import type {
  DashboardBody,
  DashboardQuery,
  DashboardResult,
  SessionInfo,
} from '@tributary/contract/dashboard'
import { type DashboardRouteId, dashboardRoutes } from '@tributary/contract/dashboard/routes'

/** What the server refused, in its own words. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

let csrf = ''

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = {}
  if (method !== 'GET') headers['Tributary-CSRF'] = csrf
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const answer = await fetch(`/dashboard/api/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, 'unreachable', 'The server cannot be reached. Check the connection and try again.')
  })
  if (answer.ok) return answer
  const said = await answer.json().catch(() => undefined)
  throw new ApiError(
    answer.status,
    said?.error?.code ?? 'unknown',
    said?.error?.message ?? `The server answered with an error (${answer.status}).`,
  )
}

/** A call that concerns the person and no account: signing in, setting up, a new password. */
export async function personCall<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  return (await send(method, path, method === 'GET' ? undefined : (body ?? {}))).json()
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
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  const text = query.toString()
  return `accounts/${accountId}/${path.replace('{id}', String(input.id))}${text ? `?${text}` : ''}`
}

/** Makes a call of the contract on an account. */
export async function call<Id extends DashboardRouteId>(
  accountId: number,
  route: Id,
  input: CallInput<Id> = {},
): Promise<DashboardResult<Id>> {
  const [method] = dashboardRoutes[route]
  const answer = await send(
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
  const answer = await send(method, pathOf(accountId, route, input), input.body ?? {})
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? 'file.csv'
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
