import { expect, it } from 'vitest'
import { texts } from './en.ts'
import { reasonOf, reasonsIn } from './exclusions.ts'
import { newPayoutSearch } from './payouts.search.ts'

const first = { excluded: { on_hold: 2, below_minimum: 9, not_approved: 5 } }

it('lists the most frequent reason first', () => {
  expect(reasonsIn(first)).toEqual([
    ['below_minimum', 9],
    ['not_approved', 5],
    ['on_hold', 2],
  ])
  expect(reasonsIn({ excluded: {} })).toEqual([])
})

it('selects a reason only if an affiliate is excluded for it', () => {
  expect(reasonOf({ reason: 'on_hold' }, first)).toBe('on_hold')
  expect(reasonOf({ reason: 'test_only' }, first)).toBeUndefined()
  expect(reasonOf({}, first)).toBeUndefined()
})

it.each(Object.keys(texts.exclusions))('a URL can select %s', reason => {
  expect(newPayoutSearch({ reason }).reason).toBe(reason)
})
