/** Protects the caller that waits beside someone with much more: lanes take turns, nothing is lost, and each lane keeps its order. */
import { expect, it } from 'vitest'
import { Batches } from './batches.ts'

function recorded(most: number, laneOf?: (item: string) => unknown) {
  const ran: string[][] = []
  const run = async (items: string[]) => {
    ran.push(items)
    return items.map(item => `${item}!`)
  }
  return { ran, batches: new Batches(run, most, laneOf) }
}

it('runs in the order of arrival', async () => {
  const { ran, batches } = recorded(2)
  const results = await Promise.all(['a1', 'a2', 'b1', 'a3'].map(item => batches.add(item)))
  expect(results).toEqual(['a1!', 'a2!', 'b1!', 'a3!'])
  expect(ran).toEqual([['a1'], ['a2', 'b1'], ['a3']])
})

it.each([
  [4, [['a1'], ['a2', 'b1', 'c1', 'a3'], ['b2', 'b3', 'a4', 'a5'], ['a6', 'a7']]],
  [2, [['a1'], ['a2', 'b1'], ['c1', 'a3'], ['b2', 'a4'], ['b3', 'a5'], ['a6', 'a7']]],
])('lanes share batches of %i', async (most, expected) => {
  const { ran, batches } = recorded(most, item => item[0])
  const items = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1', 'b2', 'b3', 'c1']
  const results = await Promise.all(items.map(item => batches.add(item)))
  expect(results).toEqual(items.map(item => `${item}!`))
  expect(ran).toEqual(expected)
})

it('gives each of many lanes its turn', async () => {
  const { ran, batches } = recorded(10, item => item)
  const items = Array.from({ length: 25 }, (_, index) => String(index))
  await Promise.all(items.map(item => batches.add(item)))
  expect(ran.flat()).toEqual(items)
})

it('a batch that fails rejects its own calls only', async () => {
  const batches = new Batches<number, number>(async items => {
    if (items.includes(2)) throw new Error('refused')
    return items
  }, 1)
  const results = await Promise.allSettled([1, 2, 3].map(item => batches.add(item)))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

it('one that hangs does not hold up the next', async () => {
  const batches = new Batches<string, string>(
    items => (items.includes('hangs') ? new Promise(() => undefined) : Promise.resolve(items)),
    1,
  )
  void batches.add('hangs')
  expect(await Promise.all(['a', 'b'].map(item => batches.add(item)))).toEqual(['a', 'b'])
})
