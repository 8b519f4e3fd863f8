import { expect, it } from 'vitest'
import { BodyMemory, SMALL_BODY_BYTES } from './body-memory.ts'

it('one caller cannot exhaust the memory of others', () => {
  const memory = new BodyMemory(100, 40)
  expect(memory.take('a', 40)).toBe(true)
  expect(memory.take('a', 1)).toBe(false)
  expect(memory.take('b', 40)).toBe(true)
  expect([memory.take('c', 21), memory.take('c', 20)]).toEqual([false, true])
})

it('large bodies leave a reserve to small ones', () => {
  const memory = new BodyMemory(10 * SMALL_BODY_BYTES, 10 * SMALL_BODY_BYTES, 3 * SMALL_BODY_BYTES)
  const large = SMALL_BODY_BYTES + 1
  expect(memory.take('a', 7 * SMALL_BODY_BYTES)).toBe(true)
  // The last byte of a body that has grown counts by the size of the body.
  expect([memory.take('b', large), memory.take('b', 1, large)]).toEqual([false, false])
  expect([1, 2, 3, 4].map(() => memory.take('b', SMALL_BODY_BYTES))).toEqual([true, true, true, false])
})

it('released memory is available again, to its caller and to all', () => {
  const memory = new BodyMemory(40, 40)
  memory.take('a', 40)
  expect(memory.take('b', 1)).toBe(false)
  memory.give('a', 30)
  expect([memory.take('b', 31), memory.take('b', 30)]).toEqual([false, true])
  memory.give('a', 10)
  memory.give('b', 30)
  expect(memory.take('a', 40)).toBe(true)
})
