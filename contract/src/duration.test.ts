import { expect, it } from 'vitest'
import { duration } from './duration.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

it.each([
  [0, '0 s'],
  [minute - 1, '59 s'],
  [minute, '1 min'],
  [hour - 1, '59 min'],
  [hour, '1 h'],
  [3 * hour + 20 * minute + 59 * second, '3 h 20 min'],
  [day - 1, '23 h 59 min'],
  [day, '1 day'],
  [day + 3 * hour, '1 day 3 h'],
  [9 * day + 23 * hour, '9 days 23 h'],
  [10 * day + 23 * hour, '10 days'],
  [400 * day, '400 days'],
])('%i ms is %s', (ms, words) => expect(duration(ms)).toBe(words))
