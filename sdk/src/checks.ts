/** Beyond it, timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Problems of the caller's own making are TypeErrors: no retry and no handler can mend them. */
export function refuse(problem: string): never {
  throw new TypeError(`Tributary: ${problem}`)
}

export function checkLimits({ timeoutMs, maxRetries }: { timeoutMs: number; maxRetries: number }): void {
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS))
    refuse(`timeoutMs must be from 1 to ${LONGEST_TIMER_MS}.`)
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0))
    refuse('maxRetries must be 0 or a whole number above.')
}

/** The value is never shown: it may be a key that merely has a line break at its end. */
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
    refuse(
      `id must be a positive whole number, not ${typeof id === 'string' ? JSON.stringify(id) : String(id)}.`,
    )
}

/** Without a slash at its end, ready to have a path put after it. */
export function parseBaseUrl(baseUrl: unknown): string {
  const problem = 'baseUrl must be the http(s) address of your service, such as https://partners.example.com'
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
