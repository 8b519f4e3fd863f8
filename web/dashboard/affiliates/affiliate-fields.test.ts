/** Protects two people who edit one affiliate: only what was changed is sent. */
import { describe, expect, it } from 'vitest'
import { changesOf, fieldsOf } from './affiliate-fields.ts'

const affiliate = {
  name: null,
  email: 'ada@example.com',
  kind: 'affiliate',
  token: 'ada',
  coupon_code: 'ADA10',
  paypal_email: null,
  tags: ['vip'],
} as const
const before = fieldsOf({ ...affiliate, tags: [...affiliate.tags] })

it('begins with what is known, and empty where nothing is', () => {
  expect(before).toEqual({
    name: '',
    email: 'ada@example.com',
    kind: 'affiliate',
    token: 'ada',
    coupon_code: 'ADA10',
    paypal_email: '',
    tags: ['vip'],
  })
})

describe('sends', () => {
  it('nothing where nothing was changed', () => {
    expect(changesOf(before, { ...before, tags: [...before.tags] })).toEqual({})
  })

  it('what was changed, without the blanks around it', () => {
    expect(changesOf(before, { ...before, name: ' Ada ', tags: ['vip', 'maths'] })).toEqual({
      name: 'Ada',
      tags: ['vip', 'maths'],
    })
  })

  it('null for what was emptied, and no tags for no tags', () => {
    expect(changesOf(before, { ...before, coupon_code: '  ', tags: [] })).toEqual({
      coupon_code: null,
      tags: [],
    })
  })
})
