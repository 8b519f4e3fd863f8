/** A link is at most a second old, lookups are shared, and links that don't exist are neither cached nor evict any. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Db } from '../../db/database.ts'
import { Links } from './links.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const ACTIVE = { id: 1, slug: 'first', is_archived: false }

/** A database in which the tokens that start with "known" exist; a lookup ends when the test ends it. */
function slowDatabase() {
  const lookups: { of: 'campaigns' | string[]; finish(): void }[] = []
  const stored = { campaigns: [ACTIVE], enrolments: [1] }
  const tokens = (names: string[]) =>
    names.flatMap((token, index) =>
      token.startsWith('known')
        ? [{ place: index + 1, account_id: 1, affiliate_id: 2, campaign_ids: stored.enrolments }]
        : [],
    )
  const many = ({ values }: { values: string[][] }) =>
    new Promise(resolve => {
      const names = values[1]
      // As of the start of the statement.
      const rows = names ? tokens(names) : stored.campaigns.map(campaign => ({ account_id: 1, ...campaign }))
      lookups.push({ of: names ?? 'campaigns', finish: () => resolve(rows) })
    })
  return { lookups, stored, db: { many } as unknown as Db }
}

const named = (token: string, campaignSlug?: string) => ({ accountSlug: 'shop', token, campaignSlug })
/** A batch ends in one turn of the event loop, and the next one begins in another. */
const settled = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
}

function setUp() {
  const { db, ...database } = slowDatabase()
  const { lookups } = database
  const links = new Links(db)
  /** Follows links at once, and finishes the lookups that takes; returns the campaigns and what was looked up. */
  const follow = async (...names: ReturnType<typeof named>[]) => {
    const before = lookups.length
    const found = Promise.all(names.map(name => links.resolve(name)))
    for (let next = before; await settled().then(() => next < lookups.length); next++) lookups[next]?.finish()
    return {
      campaigns: (await found).map(link => link?.campaign.slug),
      lookups: lookups.slice(before).map(lookup => lookup.of),
    }
  }
  return { ...database, links, follow }
}

it('looks up the first at once, then all that came meanwhile together, each name once', async () => {
  const { follow } = setUp()
  const { campaigns, lookups } = await follow(
    ...['known1', 'known2', 'other', 'known2', 'known3'].map(token => named(token)),
  )
  expect(lookups).toEqual([['known1'], 'campaigns', ['known2', 'other', 'known3']])
  expect(campaigns).toEqual(['first', 'first', undefined, 'first', 'first'])
})

it('looks up campaigns again after a second, tokens after a minute, and unknown ones every time', async () => {
  const { follow } = setUp()
  await follow(named('known'), named('other'))
  vi.advanceTimersByTime(999)
  expect((await follow(named('known'), named('other'))).lookups).toEqual([['other']])
  vi.advanceTimersByTime(2)
  expect((await follow(named('known'))).lookups).toEqual(['campaigns'])
  vi.advanceTimersByTime(60_000)
  expect((await follow(named('known'))).lookups).toEqual([['known'], 'campaigns'])
})

it('counts the second from before the lookup: a slow one must not prolong the old state', async () => {
  const { links, lookups, follow } = setUp()
  const first = links.resolve(named('known'))
  await settled()
  lookups[0]?.finish()
  await settled()
  vi.advanceTimersByTime(1500)
  lookups[1]?.finish()
  expect(await first).toMatchObject({ affiliate_id: 2 })
  expect((await follow(named('known'))).lookups).toEqual(['campaigns'])
})

it('follows an enrolment in a new campaign at once', async () => {
  const { follow, stored } = setUp()
  expect((await follow(named('known'), named('known', 'second'))).campaigns).toEqual(['first', undefined])
  stored.campaigns = [ACTIVE, { id: 2, slug: 'second', is_archived: false }]
  stored.enrolments = [1, 2]
  expect((await follow(named('known'), named('known', 'second'))).campaigns).toEqual(['first', 'second'])
})

it('leaves an archived campaign within a second, also for one that the affiliate has joined since', async () => {
  const { follow, stored } = setUp()
  await follow(named('known'))
  stored.campaigns = [
    { ...ACTIVE, is_archived: true },
    { id: 2, slug: 'second', is_archived: false },
  ]
  vi.advanceTimersByTime(1001)
  expect(await follow(named('known'))).toEqual({
    campaigns: ['first'],
    lookups: ['campaigns', ['known']],
  })
  stored.enrolments = [1, 2]
  vi.advanceTimersByTime(1001)
  expect((await follow(named('known'), named('known', 'first'))).campaigns).toEqual(['second', 'first'])
})

it('keeps known links through a flood of unknown ones', async () => {
  const { follow } = setUp()
  await follow(named('known'))
  await follow(...Array.from({ length: 30_000 }, (_, index) => named(`invented${index}`)))
  expect((await follow(named('known'))).lookups).toEqual([])
})

it.each(['', 'a\0b', 'a/b', 'ä', 'x'.repeat(65)])('does not look up what is no name: %j', async token => {
  const { follow } = setUp()
  expect(await follow(named(token))).toEqual({ campaigns: [undefined], lookups: [] })
})
