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

it('counts over a window of any length', () => {
  const limit = new GuessLimit(1, 900_000)
  limit.begin('a', 0)
  expect([limit.begin('a', 899_999).admitted, limit.begin('a', 900_000).admitted]).toEqual([false, true])
})

it('evicts no active counter, however many other names come: those have to wait', () => {
  const limit = new GuessLimit(2, 60_000, 100)
  for (let n = 0; n < 2; n++) limit.begin('victim', n)
  for (let n = 0; n < 10_000; n++) limit.begin(`address ${n}`, 10 + n / 1000)
  expect(limit.state('victim', 30)).toEqual({ remaining: 0, freesInMs: 59_970 })
  const late = limit.begin('one more', 30)
  expect([late.admitted, Math.ceil(late.freesInMs)]).toEqual([false, 59_971])
  expect(limit.begin('address 7', 30).admitted).toBe(true)
  expect(limit.begin('one more', 60_011).admitted).toBe(true)
})

it('frees the memory of a forgiven guess', () => {
  const limit = new GuessLimit(2, 60_000, 1)
  limit.forgive('a', limit.begin('a', 0))
  expect(limit.begin('b', 0).admitted).toBe(true)
})

it('holds a bounded number of names', () => {
  const limit = new GuessLimit(2, 60_000, 1)
  expect(limit.begin('a', 0).admitted).toBe(true)
  expect(limit.begin('b', 1).admitted).toBe(false)
  // A slot is free again as soon as the last guess expires.
  expect(limit.begin('b', 60_000).admitted).toBe(true)
})

it('a busy name does not keep expired ones from being evicted', () => {
  const limit = new GuessLimit(3, 60_000, 2)
  limit.begin('busy', 0)
  limit.begin('quiet', 1)
  limit.begin('busy', 50_000)
  expect(limit.begin('new', 60_002).admitted).toBe(true)
  expect(limit.state('busy', 60_002).remaining).toBe(2)
})

it('a forgiven guess frees its slot immediately, also behind active ones', () => {
  const limit = new GuessLimit(2, 60_000, 2)
  limit.begin('a', 0)
  limit.forgive('b', limit.begin('b', 1))
  expect(limit.begin('c', 2).admitted).toBe(true)
})

it('forgives nothing twice', () => {
  const limit = new GuessLimit(2)
  const [first] = [limit.begin('a', 0), limit.begin('a', 1)]
  limit.forgive('a', first)
  limit.forgive('a', first)
  limit.forgive('unknown', first)
  expect(limit.state('a', 2).remaining).toBe(1)
})
