/** Longer timers fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Mistakes in the calling code are TypeErrors: retrying or handling them would not help. */
export function refuse(problem: string): never {
  throw new TypeError(`Tributary: ${problem}`)
}

export function checkLimits({ timeoutMs, maxRetries }: { timeoutMs: number; maxRetries: number }): void {
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS))
    refuse(`timeoutMs must be from 1 to ${LONGEST_TIMER_MS}.`)
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0))
    refuse('maxRetries must be 0 or a positive integer.')
}

/** The value is never printed: it may be a valid key with a trailing line break. */
export function checkApiKey(apiKey: unknown): void {
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey))
    refuse('apiKey must be an API key (trib_…), without spaces or line breaks.')
}

export function checkIdempotencyKey(key: unknown): void {
  if (typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key))
    refuse('idempotencyKey must be 1 to 255 printable ASCII characters.')
}

export function checkId(id: unknown): void {
  if (!Number.isSafeInteger(id) || (id as number) < 1)
    refuse(`id must be a positive integer, not ${typeof id === 'string' ? JSON.stringify(id) : String(id)}.`)
}

/** The base URL without a trailing slash, ready for a path to be appended. */
export function parseBaseUrl(baseUrl: unknown): string {
  const problem = 'baseUrl must be the http(s) URL of your service, such as https://partners.example.com'
  let url: URL
  try {
    url = new URL(baseUrl as string)
  } catch {
    return refuse(`${problem}.`)
  }
  if (!/^https?:$/.test(url.protocol)) refuse(`${problem}.`)
  if (url.username || url.password || url.search || url.hash)
    refuse(`${problem}, without a user, a query or a fragment.`)
  const path = url.pathname.replace(/\/+$/, '')
  if (/\/(api|ingest)(\/v1)?$/.test(path)) refuse(`${problem}, without /api/v1.`)
  return url.origin + path
}
