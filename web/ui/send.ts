import { texts } from './en.ts'

/** An error response, with the server's message. */
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

/** Calls a session API. Network failures and error responses both throw an ApiError. */
export async function send(url: string, method: string, csrf: string, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = {}
  if (method !== 'GET') headers['Tributary-CSRF'] = csrf
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, 'unreachable', texts.errors.unreachable)
  })
  if (response.ok) return response
  const parsed = await response.json().catch(() => undefined)
  throw new ApiError(
    response.status,
    parsed?.error?.code ?? 'unknown',
    parsed?.error?.message ?? texts.errors.unexplained(response.status),
  )
}

/** A query string; empty values are left out. */
export function queryText(query: object = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') given.set(name, String(value))
  const text = given.toString()
  return text ? `?${text}` : ''
}

/** A 4xx would be refused again; a network or server error may pass. */
export const worthRetrying = (failures: number, error: Error) =>
  failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500)
