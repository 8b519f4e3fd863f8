import { expect, it } from 'vitest'
import { GuessLimit } from './guess-limit.ts'

it('counts wrong keys of an address over a sliding minute', () => {
  const limit = new GuessLimit(3)
  expect(limit.state('a', 0)).toEqual({ remaining: 3, freesInMs: 60_000 })
  for (const now of [0, 10_000, 20_000]) limit.begin('a', now)
  expect(limit.state('a', 20_000)).toEqual({ remaining: 0, freesInMs: 40_000 })
  expect(limit.state('a', 59_999)).toEqual({ remaining: 0, freesInMs: 1 })
  expect(limit.state('a', 60_000)).toEqual({ remaining: 1, freesInMs: 10_000 })
  expect(limit.state('a', 80_000)).toEqual({ remaining: 3, freesInMs: 60_000 })
})

it('keeps addresses apart', () => {
  const limit = new GuessLimit(1)
  limit.begin('a', 0)
  expect([limit.state('a', 1).remaining, limit.state('b', 1).remaining]).toEqual([0, 1])
})

it('admits as many as are allowed, and one more for each that is forgiven', () => {
  const limit = new GuessLimit(2)
  const [first, second, third] = [limit.begin('a', 0), limit.begin('a', 1), limit.begin('a', 2)]
  expect([first, second, third]).toEqual([
    { admitted: true, remaining: 1, freesInMs: 60_000, at: 0 },
    { admitted: true, remaining: 0, freesInMs: 59_999, at: 1 },
    { admitted: false, remaining: 0, freesInMs: 59_998, at: 2 },
  ])
  limit.forgive('a', third)
  expect(limit.begin('a', 3).admitted).toBe(false)
  limit.forgive('a', second)
  expect(limit.begin('a', 4).admitted).toBe(true)
  expect(limit.begin('a', 5).admitted).toBe(false)
})

it('remembers 10,000 addresses, and forgets the one at rest longest', () => {
  const limit = new GuessLimit(2)
  for (let n = 0; n < 10_000; n++) limit.begin(`address ${n}`, n / 1000)
  limit.begin('address 0', 11)
  limit.begin('one more', 12)
  expect(limit.state('address 0', 13).remaining).toBe(0)
  expect(limit.state('address 1', 13).remaining).toBe(2)
  expect(limit.state('address 2', 13).remaining).toBe(1)
})
