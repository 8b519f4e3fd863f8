import { TributaryConnectionError, TributaryError, TributaryTimeoutError } from './errors.ts'
import type { TributaryOptions } from './options.ts'
import type { Answer } from './results.ts'

export interface Attempt {
  url: string
  init: RequestInit & { method: string }
  timeoutMs: number
  signal: AbortSignal | undefined
  idempotencyKey: string | undefined
}

/** Sends one request and reads its whole response, within the timeout. */
export async function attemptOnce<T>(
  fetch: NonNullable<TributaryOptions['fetch']>,
  attempt: Attempt,
): Promise<Answer<T>> {
  const { url, init, timeoutMs, signal, idempotencyKey } = attempt
  signal?.throwIfAborted()
  const what = `${init.method} ${url.split('?')[0]}`
  const controller = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort()
  }, timeoutMs)
  const abort = () => controller.abort()
  signal?.addEventListener('abort', abort)
  let response: Response
  let text: string
  try {
    response = await fetch(url, { ...init, signal: controller.signal })
    text = await response.text()
  } catch (cause) {
    signal?.throwIfAborted()
    const details = { idempotencyKey, cause }
    throw isLate
      ? new TributaryTimeoutError('timed_out', `${what} timed out after ${timeoutMs} ms.`, details)
      : new TributaryConnectionError(
          'connection_failed',
          `${what} failed: the connection was refused or lost.`,
          details,
        )
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return read<T>(response, text, what, idempotencyKey)
}

/** Returns a successful response, or throws the error of any other. */
function read<T>(
  response: Response,
  text: string,
  what: string,
  idempotencyKey: string | undefined,
): Answer<T> {
  const { status, ok, headers } = response
  const body = parseObject(text)
  if (ok && (body || status === 204)) return { data: body as T, status, headers }
  const details = {
    status,
    requestId: headers.get('request-id') ?? undefined,
    retryAfterSeconds: parseRetryAfter(headers.get('retry-after')),
    idempotencyKey,
  }
  const error = body?.error as { code?: unknown; message?: unknown } | undefined
  if (!ok && typeof error?.code === 'string')
    throw new TributaryError(error.code as TributaryError['code'], String(error.message), details)
  // Unreadable JSON was truncated in transit. A truncated response counts as none, whatever its status.
  if (ok && headers.get('content-type')?.startsWith('application/json'))
    throw new TributaryConnectionError('connection_failed', `${what} failed: the response was truncated.`, {
      ...details,
      status: undefined,
    })
  const location = headers.get('location')
  throw new TributaryError(
    'unexpected_response',
    `${what} returned ${status}${location ? ` (redirect to ${location})` : ''}, which is not a response from Tributary. Check baseUrl and any proxies in between.`,
    details,
  )
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Seconds, or a date as sent by some proxies. */
function parseRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}
