import { expect, it } from 'vitest'
import { Turns } from './turns.ts'

const never = new AbortController().signal
const shares = (name: string) => [
  { name, most: 1 },
  { name: 'all', most: 2 },
]
const patient = { giveUp: never, mostWaiting: 2 }

/** Whether a promise has settled by now. */
const isDone = async (promise: Promise<unknown>) => (await Promise.race([promise, 'not yet'])) !== 'not yet'

it('limits holders per name, and admits the next one on release', async () => {
  const turns = new Turns(10)
  const a = await turns.take(shares('a'), patient)
  const secondOfA = turns.take(shares('a'), patient)
  const b = await turns.take(shares('b'), patient)
  const c = turns.take(shares('c'), patient)
  expect([await isDone(secondOfA), await isDone(c)]).toEqual([false, false])
  b?.()
  // The second of a came first, but its own share is full: it does not block others.
  expect([await isDone(secondOfA), await isDone(c)]).toEqual([false, true])
  a?.()
  expect(await isDone(secondOfA)).toBe(true)
})

it('releases once, however often it is called', async () => {
  const turns = new Turns(10)
  const first = await turns.take(shares('a'), patient)
  first?.()
  const second = await turns.take(shares('a'), patient)
  first?.()
  expect(second).toBeTypeOf('function')
  expect(await isDone(turns.take(shares('a'), patient))).toBe(false)
})

it('skips a waiter that gave up', async () => {
  const turns = new Turns(10)
  const end = await turns.take(shares('a'), patient)
  const impatient = new AbortController()
  const leaves = turns.take(shares('a'), { ...patient, giveUp: impatient.signal })
  const stays = turns.take(shares('a'), patient)
  impatient.abort()
  expect(await leaves).toBeUndefined()
  end?.()
  expect(await stays).toBeTypeOf('function')
  expect(await turns.take(shares('b'), { ...patient, giveUp: AbortSignal.abort() })).toBeUndefined()
})

it('waits no longer than waitMs', async () => {
  const turns = new Turns(10)
  await turns.take(shares('a'), patient)
  const waiters = Array.from({ length: 2 }, () => turns.take(shares('a'), { ...patient, waitMs: 50 }))
  expect(await Promise.all(waiters)).toEqual([undefined, undefined])
})

it('bounds the waiters, per name and in total', async () => {
  const turns = new Turns(3)
  await turns.take(shares('a'), patient)
  await turns.take(shares('b'), patient)
  for (const name of ['a', 'a', 'b']) expect(await isDone(turns.take(shares(name), patient))).toBe(false)
  expect(await turns.take(shares('a'), patient)).toBeUndefined()
  expect(await turns.take(shares('c'), patient)).toBeUndefined()
})
