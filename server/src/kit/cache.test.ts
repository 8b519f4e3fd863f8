import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { memo, ttlCache } from './cache.ts'

it('computes once per name, and evicts the least recently used', () => {
  const made: string[] = []
  const remember = memo<boolean>(2)
  const ask = (name: string) =>
    remember(name, () => {
      made.push(name)
      return name === 'a'
    })
  expect(['a', 'b', 'a', 'b'].map(ask)).toEqual([true, false, true, false])
  expect(made).toEqual(['a', 'b'])
  expect(['a', 'c', 'a', 'b'].map(ask)).toEqual([true, false, true, false])
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

it('does not cache errors', () => {
  const remember = memo<string>(2)
  const refuse = () => {
    throw new Error('refused')
  }
  expect(() => remember('a', refuse)).toThrow('refused')
  expect(remember('a', () => 'made')).toBe('made')
})

it('looks up once within the lifetime, and again after it', async () => {
  let asked = 0
  const lookUp = async () => ++asked
  const findLong = ttlCache<number>(1_000_000, 10)
  expect([await findLong('a', lookUp), await findLong('a', lookUp), await findLong('b', lookUp)]).toEqual([
    1, 1, 2,
  ])
  const findBriefly = ttlCache<number>(1, 10)
  expect(await findBriefly('a', lookUp)).toBe(3)
  await sleep(5)
  expect(await findBriefly('a', lookUp)).toBe(4)
})

it('does not cache a missing value or a failure', async () => {
  const find = ttlCache<number>(10_000, 10)
  expect(await find('a', async () => undefined)).toBeUndefined()
  await expect(find('a', async () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await find('a', async () => 7)).toBe(7)
})

it('evicts the oldest when it is full', async () => {
  const find = ttlCache<string>(10_000, 2)
  for (const key of ['a', 'b', 'c']) await find(key, async () => 'first')
  expect(await find('c', async () => 'second')).toBe('first')
  expect(await find('a', async () => 'second')).toBe('second')
})

it('shares one lookup among concurrent callers', async () => {
  const find = ttlCache<number>(10_000, 10)
  let asked = 0
  const lookUp = async () => {
    await Promise.resolve()
    return ++asked
  }
  const found = await Promise.all(Array.from({ length: 100 }, () => find('a', lookUp)))
  expect([asked, new Set(found)]).toEqual([1, new Set([1])])
})

it('resolves every caller, also with more concurrent names than it can hold', async () => {
  const find = ttlCache<string>(10_000, 2)
  const names = ['a', 'b', 'c', 'd', 'e']
  const found = names.map(name => find(name, async () => `${await name}!`))
  expect(await Promise.all(found)).toEqual(names.map(name => `${name}!`))
})

it('does not cache a value that was looked up for longer than its lifetime', async () => {
  const find = ttlCache<number>(1, 10)
  const slowly = async () => {
    await sleep(5)
    return 1
  }
  expect(await find('a', slowly)).toBe(1)
  expect(await find('a', async () => 2)).toBe(2)
})

it('evicts nothing for lookups that find nothing', async () => {
  const find = ttlCache<string>(10_000, 2)
  await find('a', async () => 'first')
  await Promise.all(Array.from({ length: 10 }, (_, index) => find(`none ${index}`, async () => undefined)))
  expect(await find('a', async () => 'second')).toBe('first')
})

it('shares a lookup only with those that it is young enough for', async () => {
  const find = ttlCache<number>(10_000, 10)
  const held = new EventEmitter()
  const older = find('a', async () => ((await once(held, 'end')) as [number])[0])
  const shared = find('a', async () => 2)
  await sleep(2)
  expect(await find('a', async () => 3, 0)).toBe(3)
  held.emit('end', 1)
  expect([await older, await shared]).toEqual([1, 1])
  // What was looked up later stays.
  expect(await find('a', async () => 4)).toBe(3)
})
