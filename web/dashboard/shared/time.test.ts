import { describe, expect, it } from 'vitest'
import { inTimeZone } from '../../../testing/time-zone.ts'
import { exactTime, relativeTime } from './time.ts'

const now = Date.parse('2026-11-16T12:00:00Z')
const at = (seconds: number) => relativeTime(new Date(now + seconds * 1000).toISOString(), now)
const formatted = (value: number, unit: Intl.RelativeTimeFormatUnit) =>
  new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(value, unit)

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]

describe('relative time', () => {
  it.each([
    [-MINUTE, -1, 'minute'],
    [-HOUR + 1, -59, 'minute'],
    [-HOUR, -1, 'hour'],
    [-DAY + 1, -23, 'hour'],
    [-DAY, -1, 'day'],
    [-7 * DAY + 1, -6, 'day'],
    [-7 * DAY, -1, 'week'],
    [-30 * DAY, -1, 'month'],
    [-365 * DAY + 1, -12, 'month'],
    [-365 * DAY, -1, 'year'],
    [2 * HOUR, 2, 'hour'],
    // Never more than is left: 1 hour 59 minutes are one hour.
    [2 * HOUR - 1, 1, 'hour'],
    [90, 1, 'minute'],
    [59, 59, 'second'],
    [2, 2, 'second'],
  ] as const)('%i seconds from now is %i %s', (seconds, value, unit) => {
    expect(at(seconds)).toBe(formatted(value, unit))
  })

  it.each([-59, -1, 0, 1])('%i seconds from now is just now', seconds => {
    expect(at(seconds)).toBe('just now')
  })
})

it('the exact time is that of the reader, with the zone', () => {
  const [utc, there] = ['UTC', 'Asia/Kolkata'].map(zone =>
    inTimeZone(zone, () => exactTime('2026-11-16T20:00:00Z')),
  )
  expect(utc).toContain('16')
  expect(there).toContain('17')
  expect(there).toMatch(/30/)
  expect(utc).toContain('UTC')
})
