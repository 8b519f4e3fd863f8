/** A link is at most a second old, lookups are shared, and links that don't exist are neither cached nor evict any. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Db } from '../../db/database.ts'
import { Links } from './links.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A database in which the tokens that start with "known" exist; a lookup ends when the test ends it. */
function slowDatabase() {
  const lookups: { tokens: string[]; finish(): void }[] = []
  const many = ({ values }: { values: string[][] }) =>
    new Promise(resolve => {
      const tokens = values[1] as string[]
      const rows = tokens.flatMap((token, index) =>
        token.startsWith('known')
          ? [
              {
                place: index + 1,
                account_id: 1,
                affiliate_id: 2,
                destination_url: `https://${token}.example/`,
              },
            ]
          : [],
      )
      lookups.push({ tokens, finish: () => resolve(rows) })
    })
  return { lookups, db: { many } as unknown as Db }
}

const named = (token: string) => ({ accountSlug: 'shop', token, campaignSlug: undefined })
const settled = () => new Promise(resolve => setImmediate(resolve))

async function setUp() {
  const { db, lookups } = slowDatabase()
  const links = new Links(db)
  /** Follows links at once, and finishes the lookups that takes; returns the destinations and the tokens looked up. */
  const follow = async (...tokens: string[]) => {
    const before = lookups.length
    const found = Promise.all(tokens.map(async token => links.resolve(named(token))))
    for (let next = before; await settled().then(() => next < lookups.length); next++) lookups[next]?.finish()
    return {
      urls: (await found).map(link => link?.destination?.url),
      lookups: lookups.slice(before).map(lookup => lookup.tokens),
    }
  }
  return { links, lookups, follow }
}

it('looks up the first at once, then all that came meanwhile together, each name once', async () => {
  const { follow } = await setUp()
  const { urls, lookups } = await follow('known1', 'known2', 'other', 'known2', 'known3')
  expect(lookups).toEqual([['known1'], ['known2', 'other', 'known3']])
  expect(urls).toEqual([
    'https://known1.example/',
    'https://known2.example/',
    undefined,
    'https://known2.example/',
    'https://known3.example/',
  ])
})

it('looks up a known link again after a second, and an unknown one every time', async () => {
  const { follow } = await setUp()
  await follow('known', 'other')
  vi.advanceTimersByTime(999)
  expect((await follow('known', 'other')).lookups).toEqual([['other']])
  vi.advanceTimersByTime(2)
  expect((await follow('known')).lookups).toEqual([['known']])
})

it('counts the second from before the lookup: a slow one must not prolong the old state', async () => {
  const { links, lookups, follow } = await setUp()
  const first = links.resolve(named('known'))
  await settled()
  vi.advanceTimersByTime(1500)
  lookups[0]?.finish()
  expect(await first).toMatchObject({ affiliate_id: 2 })
  expect((await follow('known')).lookups).toEqual([['known']])
})

it('keeps known links through a flood of unknown ones', async () => {
  const { follow } = await setUp()
  await follow('known')
  await follow(...Array.from({ length: 20_000 }, (_, index) => `invented${index}`))
  expect((await follow('known')).lookups).toEqual([])
})

it.each(['', 'a\0b', 'a/b', 'ä', 'x'.repeat(65)])('does not look up what is no name: %j', async token => {
  const { follow } = await setUp()
  expect(await follow(token)).toEqual({ urls: [undefined], lookups: [] })
})
