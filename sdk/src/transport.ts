import { type Attempt, attemptOnce } from './attempt.ts'
import { checkApiKey, checkId, checkIdempotencyKey, checkLimits, parseBaseUrl, refuse } from './checks.ts'
import { TributaryConnectionError, TributaryError } from './errors.ts'
import type { TributaryOptions, WriteOptions } from './options.ts'
import type { Answer, Call } from './results.ts'
import { webCrypto } from './web-crypto.ts'

const TIMEOUT_MS = 30_000
const MAX_RETRIES = 3
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8_000
/** The service's own rate limit resets within a minute. Waiting for longer is up to the caller. */
const LONGEST_RETRY_AFTER_SECONDS = 60

interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{id}` for the identifier. */
  path: string
  id?: number
  query?: object | undefined
  body?: object
}

export type Send = <T>(request: ApiRequest, options?: WriteOptions) => Call<T>

/** Sends requests with one API key to one service, with retries where they are safe and useful. */
export function createTransport(options: TributaryOptions): Send {
  const {
    apiKey,
    baseUrl,
    timeoutMs = TIMEOUT_MS,
    maxRetries = MAX_RETRIES,
    fetch = globalThis.fetch,
  } = options
  checkApiKey(apiKey)
  checkLimits({ timeoutMs, maxRetries })
  const base = parseBaseUrl(baseUrl)
  if (typeof fetch !== 'function') refuse('there is no global fetch here; pass one as `fetch`.')

  async function send<T>(
    { method, path, id, query, body }: ApiRequest,
    own: WriteOptions = {},
  ): Promise<Answer<T>> {
    const limits = { timeoutMs: own.timeoutMs ?? timeoutMs, maxRetries: own.maxRetries ?? maxRetries }
    checkLimits(limits)
    if (path.includes('{id}')) checkId(id)
    const writes = method === 'POST' || method === 'PATCH'
    // One key for all attempts, so that the service recognises them as the same request.
    const idempotencyKey = writes ? (own.idempotencyKey ?? (await webCrypto()).randomUUID()) : undefined
    if (writes) checkIdempotencyKey(idempotencyKey)
    const attempt: Attempt = {
      url: base + path.replace('{id}', String(id)) + queryString(query),
      init: {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // Following a redirect would turn a POST into a GET, and could send the key to another host.
        redirect: 'manual',
      },
      timeoutMs: limits.timeoutMs,
      signal: own.signal,
      idempotencyKey,
    }
    let mayHaveHappened = false
    for (let retries = 0; ; retries++) {
      try {
        return await attemptOnce<T>(fetch, attempt)
      } catch (error) {
        if (!(error instanceof TributaryError)) throw error
        // An earlier attempt has deleted it, and its response was lost.
        if (method === 'DELETE' && mayHaveHappened && error.code === 'not_found')
          return { data: undefined as T, status: 404, headers: new Headers() }
        if (retries >= limits.maxRetries || !isWorthARetry(error)) throw error
        mayHaveHappened ||= error.status !== 429
        await sleep(delayMs(retries, error.retryAfterSeconds), own.signal)
      }
    }
  }

  return <T>(request: ApiRequest, own?: WriteOptions) => {
    const response = send<T>(request, own)
    const data = response.then(({ data }) => data)
    return Object.assign(data, {
      withResponse() {
        // The caller handles a failure on the returned promise; without this, `data` would reject unhandled.
        data.catch(() => undefined)
        return response
      },
    })
  }
}

/**
 * Whether an error is temporary. A conflict with `Retry-After` is our own first attempt, still in progress after its response was
 * lost; every other conflict is final.
 */
function isWorthARetry(error: TributaryError): boolean {
  const { status = 0, retryAfterSeconds } = error
  if ((retryAfterSeconds ?? 0) > LONGEST_RETRY_AFTER_SECONDS) return false
  return (
    error instanceof TributaryConnectionError ||
    [429, 502, 503, 504].includes(status) ||
    (status === 409 && retryAfterSeconds !== undefined)
  )
}

/** Exponential backoff with full jitter, so that clients that failed together don't retry together. */
function delayMs(retries: number, retryAfterSeconds = 0): number {
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries)
  return retryAfterSeconds * 1000 + Math.random() * backoffMs
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function queryString(query: object = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value))
  const text = String(parameters)
  return text && `?${text}`
}
