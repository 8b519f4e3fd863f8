import { expect, it } from 'vitest'
import { waitsFor } from './payout-wait.ts'

const entry = {
  is_test: false,
  entry_type: 'earned',
  beneficiary: 'affiliate',
  status: 'approved',
  payout_amount_minor: 100,
} as const

it.each([
  ['an approved one', {}, /takes it up, if the affiliate reaches the minimum/],
  ['a pending one', { status: 'pending' }, /^Once it is approved/],
  ['one below nought', { payout_amount_minor: -1 }, /that much smaller/],
  ['a pending one below nought', { status: 'pending', payout_amount_minor: -1 }, /^Once it is approved/],
  ['a credit', { entry_type: 'credit', status: 'pending' }, /^Never: it is a reward/],
  ['what the new customer gets', { beneficiary: 'referee' }, /^Never: it is a reward/],
  ['a test, whatever else it is', { is_test: true, entry_type: 'credit' }, /^Never: the referral is a test/],
] as const)('%s', (_what, changes, words) => {
  expect(waitsFor({ ...entry, ...changes })).toMatch(words)
})
