import { expect, it } from 'vitest'
import { RankedTurns } from './ranked-turns.ts'

/** Work that the test finishes, and that records when it started. */
function slowWork() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () =>
    new Promise<string>(resolve => {
      begun.push(name)
      ends.push(() => resolve(name))
    })
  return { begun, work, endOne: () => ends.shift()?.() }
}

it('limits concurrency, and runs known callers before others that came earlier', async () => {
  const turns = new RankedTurns(2, 10)
  const { begun, work, endOne } = slowWork()
  const all = (['other', 'other', 'other', 'fresh', 'known', 'other'] as const).map((rank, n) =>
    turns.take(rank, work(`${n} ${rank}`)),
  )
  expect(begun).toEqual(['0 other', '1 other'])
  for (let n = 3; n <= 6; n++) {
    endOne()
    await expect.poll(() => begun.length, { timeout: 25_000 }).toBe(n)
  }
  expect(begun.slice(2)).toEqual(['4 known', '3 fresh', '2 other', '5 other'])
  endOne()
  endOne()
  expect(await Promise.all(all)).toHaveLength(6)
})

it('rejects work past the bound of its rank only', async () => {
  const turns = new RankedTurns(1, 2)
  const { work, endOne, begun } = slowWork()
  const admitted = (['other', 'other', 'other'] as const).map(rank => turns.take(rank, work(rank)))
  await expect(turns.take('other', work('late'))).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 2,
  })
  admitted.push(turns.take('known', work('known')))
  for (let n = 1; n <= 4; n++) {
    await expect.poll(() => begun.length, { timeout: 25_000 }).toBe(n)
    endOne()
  }
  expect(await Promise.all(admitted)).toEqual(['other', 'other', 'other', 'known'])
})

it('passes the slot on when work fails', async () => {
  const turns = new RankedTurns(1, 2)
  const fails = turns.take('other', () => Promise.reject(new Error('no')))
  const next = turns.take('other', async () => 'yes')
  await expect(fails).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
