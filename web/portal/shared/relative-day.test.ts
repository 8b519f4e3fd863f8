import { expect, it } from 'vitest'
import { relativeDay } from './relative-day.ts'

const now = new Date(2026, 10, 16, 23, 30).getTime()
const at = (...parts: [number, number, number, number]) => relativeDay(new Date(...parts).toISOString(), now)
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
