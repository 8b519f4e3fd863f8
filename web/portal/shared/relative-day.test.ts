import { expect, it } from 'vitest'
import { relativeDay } from './relative-day.ts'

const now = new Date(2026, 10, 16, 23, 30).getTime()
const here = new Intl.DateTimeFormat().resolvedOptions().timeZone
const at = (...parts: [number, number, number, number]) =>
  relativeDay(new Date(...parts).toISOString(), here, now)
const text = (days: number) => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(days, 'day')

it.each([
  [[2026, 10, 16, 0], 0],
  [[2026, 10, 17, 0], 1],
  [[2026, 10, 15, 23], -1],
  [[2026, 11, 13, 12], 27],
  [[2026, 6, 16, 12], -123],
] as [[number, number, number, number], number][])('counts calendar days to %j', (parts, days) => {
  expect(at(...parts)).toBe(text(days))
})

it('counts the days of the zone that the date is shown in, wherever the reader is', () => {
  const clears = '2026-11-17T23:30:00Z'
  const evening = Date.parse('2026-11-17T22:00:00Z')
  expect(relativeDay(clears, 'Europe/Berlin', evening)).toBe(text(1))
  expect(relativeDay(clears, 'America/Los_Angeles', evening)).toBe(text(0))
  expect(relativeDay(clears, 'Mars/Olympus_Mons', evening)).toBe(text(0))
})
