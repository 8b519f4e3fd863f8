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

/** Makes a call of a session API. What cannot be reached, and what is refused, is told alike. */
export async function send(url: string, method: string, csrf: string, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = {}
  if (method !== 'GET') headers['Tributary-CSRF'] = csrf
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const answer = await fetch(url, {
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

/** A query as it stands in an address; what is empty is left out. */
export function queryText(query: object = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') given.set(name, String(value))
  const text = given.toString()
  return text ? `?${text}` : ''
}

/** What the server refused stays refused; what did not arrive may arrive next time. */
export const worthRetrying = (failures: number, error: Error) =>
  failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500)
