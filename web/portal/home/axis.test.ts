import { expect, it } from 'vitest'
import { axisTop } from './axis.ts'

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 4],
  [9, 10],
  [10, 10],
  [11, 12],
  [21, 30],
  [45, 50],
  [101, 120],
  [3456, 4000],
  [100_000, 100_000],
  [100_001, 120_000],
])('an axis for %i ends at %i', (most, top) => {
  expect(axisTop(most)).toBe(top)
})
