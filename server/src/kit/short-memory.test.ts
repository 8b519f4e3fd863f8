import { expect, it, onTestFinished, vi } from 'vitest'
import { ShortMemory } from './short-memory.ts'

it('looks up once while it remembers, and again after that', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const memory = new ShortMemory<number>(50, 10)
  let asked = 0
  const lookUp = async () => ++asked
  expect([
    await memory.get('a', lookUp),
    await memory.get('a', lookUp),
    await memory.get('b', lookUp),
  ]).toEqual([1, 1, 2])
  vi.advanceTimersByTime(49)
  expect(await memory.get('a', lookUp)).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await memory.get('a', lookUp)).toBe(3)
})

it('does not remember that there was nothing, nor a failure', async () => {
  const memory = new ShortMemory<number>(10_000, 10)
  expect(await memory.get('a', async () => undefined)).toBeUndefined()
  await expect(memory.get('a', async () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await memory.get('a', async () => 7)).toBe(7)
})

it('forgets the oldest when it holds too many', async () => {
  const memory = new ShortMemory<string>(10_000, 2)
  for (const key of ['a', 'b', 'c']) await memory.get(key, async () => 'first')
  expect(await memory.get('c', async () => 'second')).toBe('first')
  expect(await memory.get('a', async () => 'second')).toBe('second')
})
