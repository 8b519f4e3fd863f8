import { expect, test } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

/** Work that the test finishes. */
function work() {
  const ends: ((value: number) => void)[] = []
  const fails: ((error: Error) => void)[] = []
  const begin = () =>
    new Promise<number>((resolve, reject) => {
      ends.push(resolve)
      fails.push(reject)
    })
  return { ends, fails, begin }
}

test('callers that arrive during a run share the next one, started after their call', async () => {
  const { ends, begin } = work()
  const lanes = new OneAtATime<number>()
  const first = lanes.run('a', begin)
  const later = [lanes.run('a', begin), lanes.run('a', begin), lanes.run('a', begin)]
  expect(ends).toHaveLength(1)
  ends[0]?.(1)
  expect(await first).toBe(1)
  await Promise.resolve()
  expect(ends).toHaveLength(2)
  ends[1]?.(2)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
  const last = lanes.run('a', begin)
  expect(ends).toHaveLength(3)
  ends[2]?.(3)
  expect(await last).toBe(3)
})

test('names do not wait for each other, and a failure rejects only its own callers', async () => {
  const { ends, fails, begin } = work()
  const lanes = new OneAtATime<number>()
  const first = lanes.run('a', begin)
  const second = lanes.run('a', begin)
  const other = lanes.run('b', begin)
  expect(ends).toHaveLength(2)
  ends[1]?.(7)
  expect(await other).toBe(7)
  fails[0]?.(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await Promise.resolve()
  ends[2]?.(8)
  expect(await second).toBe(8)
})
