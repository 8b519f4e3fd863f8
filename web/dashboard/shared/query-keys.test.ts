/** Protects invalidation: it reaches everything that may have changed, and no dry run. */
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { queryKeys, statusFilterOf } from './query-keys.ts'

const kept = {
  session: queryKeys.session(),
  invitation: queryKeys.invitation('t'),
  passwordLink: queryKeys.passwordLink('t'),
  call: queryKeys.call(1, 'getPayout', { id: 7 }),
  callOfList: queryKeys.call(1, 'listPayouts', { query: { status: 'paid' } }),
  list: queryKeys.list(1, 'listPayouts', { query: { status: 'paid' }, order: 'newest' }),
  items: queryKeys.list(1, 'listPayoutItems', { id: 7, query: {}, order: 'newest' }),
  otherItems: queryKeys.list(1, 'listPayoutItems', { id: 8, query: {}, order: 'newest' }),
  otherAccount: queryKeys.list(2, 'listPayouts', { order: 'newest' }),
  dryRun: queryKeys.dryRun(1, { campaign_id: 3 }, 0),
  dryRunPages: queryKeys.dryRunPages(1, { campaign_id: 3 }, 1700),
}

function coveredBy(queryKey: readonly unknown[]): string[] {
  const queries = new QueryClient()
  for (const [name, key] of Object.entries(kept)) queries.setQueryData(key, name)
  return queries.getQueriesData<string>({ queryKey }).map(([, name]) => name as string)
}

describe('a key covers', () => {
  it('with the account alone, every call and list of it', () => {
    expect(coveredBy(queryKeys.account(1))).toEqual(['call', 'callOfList', 'list', 'items', 'otherItems'])
  })

  it('with a route, its calls and its lists', () => {
    expect(coveredBy(queryKeys.route(1, 'listPayouts'))).toEqual(['callOfList', 'list'])
  })

  it('with an object, the lists below it', () => {
    expect(coveredBy(queryKeys.listOf(1, 'listPayoutItems', 7))).toEqual(['items'])
  })

  it('with every part, itself', () => {
    for (const [name, key] of Object.entries(kept)) expect(coveredBy(key)).toEqual([name])
  })
})

it('a list without an id or a query has the same key with or without undefined parts', () => {
  const queries = new QueryClient()
  queries.setQueryData(queryKeys.list(1, 'listPayouts', { order: 'newest' }), 'shown')
  const same = queryKeys.list(1, 'listPayouts', { id: undefined, query: undefined, order: 'newest' })
  expect(queries.getQueryData(same)).toBe('shown')
})

describe('the status filter of a key', () => {
  it('is that of a list', () => {
    expect(statusFilterOf(kept.list)).toBe('paid')
  })

  it.each(['items', 'otherAccount', 'call', 'callOfList', 'session', 'dryRun'] as const)(
    'is none for %s',
    name => {
      expect(statusFilterOf(kept[name])).toBeUndefined()
    },
  )
})
