import { expect, it } from 'vitest'
import { reasonOf, reasonsIn } from './exclusions.ts'
import { exclusionWords } from './payout-words.ts'
import { newPayoutSearch } from './payouts.search.ts'

const first = { excluded: { on_hold: 2, below_minimum: 9, not_approved: 5 } }

it('names the most frequent reason first', () => {
  expect(reasonsIn(first)).toEqual([
    ['below_minimum', 9],
    ['not_approved', 5],
    ['on_hold', 2],
  ])
  expect(reasonsIn({ excluded: {} })).toEqual([])
})

it('looks at one reason, if anybody is excluded for it', () => {
  expect(reasonOf({ reason: 'on_hold' }, first)).toBe('on_hold')
  expect(reasonOf({ reason: 'test_only' }, first)).toBeUndefined()
  expect(reasonOf({}, first)).toBeUndefined()
})

it.each(Object.keys(exclusionWords))('an address can ask for %s', reason => {
  expect(newPayoutSearch({ reason }).reason).toBe(reason)
})
