/** Presets are whole days of the account's calendar, at the ends of months and years too. */
import { describe, expect, it } from 'vitest'
import { type Preset, presetOf, rangeOf } from './ranges.ts'

describe('a preset', () => {
  it.each<[Preset, string, string, string]>([
    ['today', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['yesterday', '2026-03-01', '2026-02-28', '2026-02-28'],
    ['last7', '2026-01-03', '2025-12-28', '2026-01-03'],
    ['last30', '2026-03-31', '2026-03-02', '2026-03-31'],
    ['month', '2026-03-31', '2026-03-01', '2026-03-31'],
    ['lastMonth', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['lastMonth', '2026-01-15', '2025-12-01', '2025-12-31'],
    ['quarter', '2026-12-31', '2026-10-01', '2026-12-31'],
    ['quarter', '2026-03-31', '2026-01-01', '2026-03-31'],
    ['year', '2026-03-31', '2026-01-01', '2026-03-31'],
    ['last365', '2026-12-31', '2026-01-01', '2026-12-31'],
  ])('%s on %s', (preset, today, from, to) => {
    expect(rangeOf(preset, today)).toEqual({ from, to })
  })
})

it('a range is named by its preset, or is custom', () => {
  expect(presetOf({ from: '2026-02-01', to: '2026-02-28' }, '2026-03-10')).toBe('lastMonth')
  expect(presetOf({ from: '2026-03-01', to: '2026-03-01' }, '2026-03-01')).toBe('today')
  expect(presetOf({ from: '2026-02-01', to: '2026-02-27' }, '2026-03-10')).toBe(undefined)
})
