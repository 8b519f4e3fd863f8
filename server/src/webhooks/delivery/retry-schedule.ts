const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The delay after each failed attempt: ten attempts in about three days. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

const JITTER = 0.2

/** An endpoint whose attempts have all failed for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS

/**
 * The delay before the next attempt, or undefined after the last one. Jitter keeps the backlog from hitting a recovered endpoint all at
 * once; `Retry-After` is honoured up to twice the delay.
 */
export function retryDelayMs(
  attempts: number,
  retryAfterMs: number | undefined,
  random = Math.random(),
): number | undefined {
  const delay = RETRY_DELAYS_MS[attempts - 1]
  if (delay === undefined) return undefined
  const jittered = delay * (1 - JITTER + 2 * JITTER * random)
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, 2 * delay)))
}

/** `Retry-After` in either of its forms: seconds, or a date. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Number(header) * SECOND_MS
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
