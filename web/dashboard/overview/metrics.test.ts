import type { Overview } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { inTimeZone } from '../../../testing/time-zone.ts'
import { percent } from '../../ui/format.ts'
import { changeOf, dayOf, periodOf, rate, stepNames } from './metrics.ts'

describe('a rate', () => {
  it('is computed per period', () => {
    expect(rate({ now: 5, before: 1 }, { now: 50, before: 4 })).toEqual({ now: 0.1, before: 0.25 })
  })

  it('is 0 when the total is 0', () => {
    expect(rate({ now: 5, before: 0 }, { now: 0, before: 0 })).toEqual({ now: 0, before: 0 })
  })
})

describe('a change', () => {
  it.each([
    [150, 100, 'up', `▲ +${percent(0.5, 1)}`],
    [75, 100, 'down', `▼ −${percent(0.25, 1)}`],
    [0, 100, 'down', `▼ −${percent(1, 1)}`],
    [100, 100, 'level', `±${percent(0, 1)}`],
    [100_049, 100_000, 'level', `±${percent(0, 1)}`],
    [100_051, 100_000, 'up', `▲ +${percent(0.001, 1)}`],
    [99_940, 100_000, 'down', `▼ −${percent(0.001, 1)}`],
  ])('to %i from %i is %s', (now, before, direction, text) => {
    expect(changeOf({ now, before })).toEqual({ direction, text })
  })
})

it.each(['UTC', 'America/Los_Angeles', 'Pacific/Auckland'])(
  'a day of the account is the same for a reader in %s',
  zone => {
    expect(inTimeZone(zone, () => dayOf('2026-03-09'))).toMatch(/9/)
  },
)

it('only the last step of a chart is marked as unfinished', () => {
  const [before, last] = stepNames([{ day: '2026-11-16' }, { day: '2026-11-17' }])
  expect(before).toBe(dayOf('2026-11-16'))
  expect(last).toBe(`${dayOf('2026-11-17')} (so far)`)
})

it('a period ends with the last day of its last step', () => {
  const steps = (...days: string[]) => days.map(day => ({ day })) as Overview['series']
  expect(periodOf({ series: steps('2026-02-27', '2026-02-28'), step_days: 1 })).toEqual({
    from: '2026-02-27',
    until: '2026-02-28',
  })
  expect(periodOf({ series: steps('2026-02-20', '2026-02-27'), step_days: 7 })).toEqual({
    from: '2026-02-20',
    until: '2026-03-05',
  })
})
