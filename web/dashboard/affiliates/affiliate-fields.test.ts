/** Protects two users who edit one affiliate at the same time: only changed fields are sent. */
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

it('fills the form with the known values and leaves the rest empty', () => {
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
  it('nothing without a change', () => {
    expect(changesOf(before, { ...before, tags: [...before.tags] })).toEqual({})
  })

  it('changed fields, trimmed', () => {
    expect(changesOf(before, { ...before, name: ' Ada ', tags: ['vip', 'maths'] })).toEqual({
      name: 'Ada',
      tags: ['vip', 'maths'],
    })
  })

  it('null for a cleared field, and an empty list for cleared tags', () => {
    expect(changesOf(before, { ...before, coupon_code: '  ', tags: [] })).toEqual({
      coupon_code: null,
      tags: [],
    })
  })
})
