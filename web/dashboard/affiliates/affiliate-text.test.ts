import { expect, it } from 'vitest'
import { aboutOf, nameOf } from './affiliate-text.ts'

it('distinguishes affiliates of the same name by email', () => {
  expect(nameOf({ name: 'Ada', email: 'ada@example.com' })).toBe('Ada (ada@example.com)')
  expect(nameOf({ name: null, email: 'ada@example.com' })).toBe('ada@example.com')
  expect(nameOf({ name: '', email: 'ada@example.com' })).toBe('ada@example.com')
})

it.each([
  ['commission', 'customer-1', 'customer-1 · Partners'],
  ['commission', null, 'Partners'],
  ['referral', 'customer-1', 'Partners'],
  ['payout', null, 'Partners'],
  ['joined', null, null],
  ['enrolled', null, null],
] as const)('a %s of %s is about %s', (kind, customer_ref, about) => {
  expect(aboutOf({ kind, customer_ref, campaign_name: 'Partners' })).toBe(about)
})
