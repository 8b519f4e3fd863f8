import { hashKey } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { queryKeys } from './query-keys.ts'

it('never collide between calls, paged lists and their parameters', () => {
  const keys = [
    queryKeys.call('listReferrals'),
    queryKeys.pages('listReferrals'),
    queryKeys.pages('listCommissions'),
    queryKeys.call('getReferral', { id: 7 }),
    queryKeys.call('getReferral', { id: 8 }),
  ].map(key => hashKey(key))
  expect(new Set(keys).size).toBe(keys.length)
})

it('are the same for absent and empty parameters', () => {
  expect(hashKey(queryKeys.call('getMe'))).toBe(hashKey(queryKeys.call('getMe', {})))
  expect(hashKey(queryKeys.pages('listPayouts', undefined))).toBe(hashKey(queryKeys.pages('listPayouts', {})))
})
