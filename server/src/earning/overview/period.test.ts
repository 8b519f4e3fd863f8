import { describe, expect, it } from 'vitest'
import { periodUntil, stepOf } from './period.ts'

const now = '2026-03-10T15:30:00.000Z'

describe('a period', () => {
  it('is whole days that end with today, compared with as many before, up to the same time of day', () => {
    expect(periodUntil(now, 7)).toEqual({
      from: '2026-03-04T00:00:00.000Z',
      to: now,
      before: { from: '2026-02-25T00:00:00.000Z', to: '2026-03-03T15:30:00.000Z' },
      stepDays: 1,
      steps: 7,
    })
  })

  it('of a year is 52 whole weeks', () => {
    const { from, stepDays, steps } = periodUntil(now, 365)
    expect({ from, stepDays, steps }).toEqual({ from: '2025-03-12T00:00:00.000Z', stepDays: 7, steps: 52 })
  })

  it('at the first moment of a day has that day', () => {
    expect(periodUntil('2026-03-10T00:00:00.000Z', 7).from).toBe('2026-03-04T00:00:00.000Z')
  })

  it.each([
    [7, '2026-03-04T00:00:00.000Z', 0],
    [7, '2026-03-04T23:59:59.999Z', 0],
    [7, now, 6],
    [365, now, 51],
    [365, '2025-03-18T23:59:59.999Z', 0],
    [365, '2025-03-19T00:00:00.000Z', 1],
  ] as const)('of %i days has %s in step %i', (days, time, step) => {
    expect(stepOf(periodUntil(now, days), time)).toBe(step)
  })
})
