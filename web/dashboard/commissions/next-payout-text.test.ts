import { expect, it } from 'vitest'
import { texts } from './en.ts'
import { nextPayoutText } from './next-payout-text.ts'

const commission = {
  is_test: false,
  entry_type: 'earned',
  beneficiary: 'affiliate',
  status: 'approved',
  payout_amount_minor: 100,
  credits: [],
} as const

it.each([
  ['an approved one', {}, 'payable'],
  ['a pending one', { status: 'pending' }, 'pending'],
  ['a negative one', { payout_amount_minor: -1 }, 'negative'],
  ['a pending negative one', { status: 'pending', payout_amount_minor: -1 }, 'pending'],
  ['a credit', { entry_type: 'credit', status: 'pending' }, 'credit'],
  ['a reward for the new customer', { beneficiary: 'referee' }, 'credit'],
  ['a credit at a billing provider', { entry_type: 'credit', credits: [{}] }, 'granted'],
  ['a test, whatever else it is', { is_test: true, entry_type: 'credit' }, 'test'],
] as const)('%s', (_what, changes, text) => {
  expect(nextPayoutText({ ...commission, ...changes })).toBe(texts.nextPayout[text])
})
