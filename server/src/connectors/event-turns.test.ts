/** Protects the API from bursts of billing events: few are worked on at a time, and the rest wait in order, bounded. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventTurns } from './event-turns.ts'

/** Work that lasts until it is ended. */
function held() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>(resolve => ends.set(name, () => resolve(name)))
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    for (let turn = 0; turn < 5; turn++) await nextTurn()
  }
  return { begun, work, end }
}

const never = new AbortController().signal
const of = (connectorId: number, bytes = 1, signal: AbortSignal = never) => ({ connectorId, bytes, signal })
/** Turns that a slow machine doesn't end, and without a rest. */
const patient = (hasOthers: () => boolean, mostBytes?: number) =>
  new EventTurns(hasOthers, { patienceMs: 600_000, rest: 0, ...(mostBytes !== undefined && { mostBytes }) })
const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)

it('works on a few of a connector at a time, in the order of their arrival, and leaves room for another', async () => {
  const turns = patient(() => true)
  const { begun, work, end } = held()
  const all = names(10).map(name => turns.take(of(1), work(name)))
  const other = turns.take(of(2), work('other'))
  await nextTurn()
  expect(begun).toEqual([...names(3), 'other'])
  await end('1')
  expect(begun).toEqual([...names(3), 'other', '3'])
  for (const name of [...names(10), 'other']) await end(name)
  expect(await Promise.all([...all, other])).toEqual([...names(10), 'other'])
})

it('works on more at a time while there are no other requests, also of what waits already', async () => {
  let hasOthers = true
  const turns = patient(() => hasOthers)
  const { begun, work, end } = held()
  const all = names(60).map(name => turns.take(of(1), work(name)))
  await nextTurn()
  expect(begun).toHaveLength(3)
  hasOthers = false
  await end('0')
  expect(begun).toEqual(names(49))
  hasOthers = true
  for (const name of names(47)) await end(name)
  expect(begun).toHaveLength(50)
  for (const name of names(60)) await end(name)
  await Promise.all(all)
})

it('lets what else has arrived run between one event and the next', async () => {
  const turns = patient(() => true)
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(name)
  }
  const all = names(4).map(name => turns.take(of(1), work(name)))
  setImmediate(() => order.push('another request'))
  await Promise.all(all)
  expect(order).toEqual([...names(3), 'another request', '3'])
})

describe('after an event, its place', () => {
  beforeEach(() =>
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }),
  )
  afterEach(() => vi.useRealTimers())

  const beside = async (hasOthers: boolean, tookMs: number, moreWaiting = 0) => {
    const turns = new EventTurns(() => hasOthers)
    const begun: string[] = []
    const ends: (() => void)[] = []
    const busy = names(hasOthers ? 3 : 48).map(() =>
      turns.take(of(1), () => new Promise<void>(resolve => ends.push(resolve))),
    )
    const next = turns.take(of(1), async () => void begun.push('next'))
    const more = names(moreWaiting).map(() => turns.take(of(1), async () => undefined))
    await vi.advanceTimersByTimeAsync(tookMs)
    ends[0]?.()
    const after = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return begun.length > 0
    }
    const finish = async () => {
      for (const end of ends) end()
      await vi.runAllTimersAsync()
      await Promise.all([...busy, next, ...more])
    }
    return { after, finish }
  }

  it('stays free six times as long as it took while the API is in use', async () => {
    const { after, finish } = await beside(true, 4)
    expect([await after(23), await after(1)]).toEqual([false, true])
    await finish()
  })

  it('stays free for a bounded time after a slow commit', async () => {
    const { after, finish } = await beside(true, 500)
    expect([await after(39), await after(1)]).toEqual([false, true])
    await finish()
  })

  it('is taken at once while so many wait that some would be refused', async () => {
    const { after, finish } = await beside(true, 4, 201)
    expect(await after(0)).toBe(true)
    await finish()
  })

  it('is taken at once while the API is not in use', async () => {
    const { after, finish } = await beside(false, 4)
    expect(await after(0)).toBe(true)
    await finish()
  })
})

it('spends nothing on an event whose client has left', async () => {
  const turns = patient(() => true)
  const { begun, work, end } = held()
  const busy = names(3).map(name => turns.take(of(1), work(name)))
  const client = new AbortController()
  const left = turns.take(of(1, 1, client.signal), work('left'))
  const next = turns.take(of(1), work('next'))
  client.abort()
  await expect(left).rejects.toMatchObject({ code: 'unavailable' })
  for (const name of [...names(3), 'next']) await end(name)
  await Promise.all([...busy, next])
  expect(begun).toEqual([...names(3), 'next'])
})

it('refuses more than may wait, by number and by size, and asks to send it again', async () => {
  const { work, end } = held()
  const refused = { code: 'unavailable', retryAfterSeconds: 1 }
  const turns = patient(() => true, 10)
  const busy = names(3).map(name => turns.take(of(1), work(name)))
  await nextTurn()
  const waiting = turns.take(of(1, 8), work('waiting'))
  await expect(turns.take(of(1, 3), work('large'))).rejects.toMatchObject(refused)
  const many = patient(() => true)
  const all = names(1100).map(name => many.take(of(1), work(`many ${name}`)))
  const results = Promise.allSettled(all)
  await nextTurn()
  for (const name of names(1100)) await end(`many ${name}`)
  // Three begin, and 1000 wait.
  expect((await results).filter(({ status }) => status === 'fulfilled')).toHaveLength(1003)
  for (const name of [...names(3), 'waiting']) await end(name)
  await Promise.all([...busy, waiting])
})

it('goes on when a commit hangs', async () => {
  const turns = new EventTurns(() => true, { patienceMs: 10 })
  const { begun, work, end } = held()
  const stuck = names(3).map(name => turns.take(of(1), work(name)))
  const next = turns.take(of(1), work('next'))
  await expect.poll(() => begun, { timeout: 60_000, interval: 20 }).toContain('next')
  for (const name of [...names(3), 'next']) await end(name)
  await Promise.all([...stuck, next])
})
