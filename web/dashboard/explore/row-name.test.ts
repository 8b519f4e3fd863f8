import type { Exploration } from '@tributary/contract/dashboard'
import { expect, it } from 'vitest'
import { rowName } from './row-name.ts'

const name = (by: Exploration['by'], key: string, label = key) =>
  rowName({ key, label }, { by, from: '2026-01-01', to: '2026-01-31', today: '2026-02-10' } as Exploration)

it('rows have names instead of codes', () => {
  expect([name('country', 'DE'), name('country', '(none)'), name('country', '(other)')]).toEqual([
    'Germany',
    'Unknown',
    'Other',
  ])
  expect([name('device', 'mobile'), name('device', '(none)')]).toEqual(['Mobile', 'Unknown'])
  expect([name('utm_source', 'DE'), name('utm_source', '(none)')]).toEqual(['DE', 'None'])
  expect([name('link', '1 2 x', 'Jane · Partners'), name('link', '(no click)')]).toEqual([
    'Jane · Partners',
    'No click',
  ])
})

it('campaigns and affiliates keep theirs, whatever it is', () => {
  expect(name('affiliate', '7', '(none)')).toBe('(none)')
  expect(name('day', '2026-01-02')).toBe('Jan 2, 2026')
})
