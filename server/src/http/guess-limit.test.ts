import { expect, it } from 'vitest'
import { GuessLimit } from './guess-limit.ts'

it('counts wrong keys of an address over a sliding minute', () => {
  const limit = new GuessLimit(3)
  expect(limit.state('a', 0)).toEqual({ remaining: 3, freesInMs: 60_000 })
  for (const now of [0, 10_000, 20_000]) limit.record('a', now)
  expect(limit.state('a', 20_000)).toEqual({ remaining: 0, freesInMs: 40_000 })
  expect(limit.state('a', 59_999)).toEqual({ remaining: 0, freesInMs: 1 })
  expect(limit.state('a', 60_000)).toEqual({ remaining: 1, freesInMs: 10_000 })
  expect(limit.state('a', 80_000)).toEqual({ remaining: 3, freesInMs: 60_000 })
})

it('keeps addresses apart', () => {
  const limit = new GuessLimit(1)
  limit.record('a', 0)
  expect([limit.state('a', 1).remaining, limit.state('b', 1).remaining]).toEqual([0, 1])
})

it('never shows less than nothing', () => {
  const limit = new GuessLimit(1)
  limit.record('a', 0)
  limit.record('a', 0)
  expect(limit.state('a', 1).remaining).toBe(0)
})

it('remembers 10,000 addresses, and forgets the one at rest longest', () => {
  const limit = new GuessLimit(1)
  for (let n = 0; n < 10_000; n++) limit.record(`address ${n}`, n / 1000)
  limit.record('address 0', 11)
  limit.record('one more', 12)
  expect(limit.state('address 0', 13).remaining).toBe(0)
  expect(limit.state('address 1', 13).remaining).toBe(1)
  expect(limit.state('address 2', 13).remaining).toBe(0)
})
