/** Protects the schedule of decisions.md: ten attempts, ±20 %, and the receiver's wish up to twice the delay. */
import { describe, expect, it } from 'vitest'
import { DISABLE_AFTER_MS, parseRetryAfter, RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.ts'

const HOUR_MS = 3_600_000
const DELAYS_MS = [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR_MS)]

it('follows the schedule', () => {
  expect(RETRY_DELAYS_MS).toEqual(DELAYS_MS)
  expect(DISABLE_AFTER_MS).toBe(5 * 24 * HOUR_MS)
})

it.each(DELAYS_MS.map((delay, index) => [index + 1, delay] as const))(
  'waits %i: %i ms, give or take a fifth',
  (attempts, delay) => {
    expect(retryDelayMs(attempts, undefined, 0)).toBe(Math.round(delay * 0.8))
    expect(retryDelayMs(attempts, undefined, 0.5)).toBe(delay)
    expect(retryDelayMs(attempts, undefined, 1)).toBe(Math.round(delay * 1.2))
  },
)

it('ends after the tenth attempt, whatever the receiver wishes', () => {
  expect(retryDelayMs(9, undefined)).toEqual(expect.any(Number))
  expect(retryDelayMs(10, undefined)).toBeUndefined()
  expect(retryDelayMs(10, 60_000)).toBeUndefined()
  expect(retryDelayMs(11, undefined)).toBeUndefined()
})

it('draws new jitter each time', () => {
  const drawn = new Set(Array.from({ length: 50 }, () => retryDelayMs(9, undefined)))
  expect(drawn.size).toBeGreaterThan(40)
})

it('honours a wish up to twice the delay and never comes sooner for it', () => {
  expect(retryDelayMs(1, 8_000, 0.5)).toBe(8_000)
  expect(retryDelayMs(1, 10_000, 0.5)).toBe(10_000)
  expect(retryDelayMs(1, 10_001, 0.5)).toBe(10_000)
  expect(retryDelayMs(1, 86_400_000, 0.5)).toBe(10_000)
  expect(retryDelayMs(1, 1, 0.5)).toBe(5_000)
  expect(retryDelayMs(1, 0, 1)).toBe(6_000)
  expect(retryDelayMs(2, 8_000, 0.5)).toBe(300_000)
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-31T12:00:00.000Z')

  it.each([
    ['0', 0],
    ['120', 120_000],
    ['Sat, 31 Jan 2026 12:01:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ])('reads %j', (header, expected) => expect(parseRetryAfter(header, now)).toBe(expected))

  it.each(['', 'soon', 'NaN', 'Infinity'])('ignores %j', header =>
    expect(parseRetryAfter(header, now) ?? 0).toBe(0),
  )

  it('knows none where there is none', () => expect(parseRetryAfter(undefined, now)).toBeUndefined())

  it.each(['1000000000', '99999999999', '9'.repeat(20)])(
    'takes %s seconds for a long time, not for nothing',
    header => expect(retryDelayMs(1, parseRetryAfter(header, now), 0.5)).toBe(10_000),
  )

  it.each(['-5', '1.5', '1e3', '+7', '0x10'])('is not led to a time by %j, which is neither form', header =>
    expect(parseRetryAfter(header, now) ?? 0).toBe(0),
  )
})
