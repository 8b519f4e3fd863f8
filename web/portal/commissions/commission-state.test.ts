import { pages } from '@tributary/contract/portal/texts'
import { expect, it } from 'vitest'
import { commissionState } from './commission-state.ts'

it.each([
  ['pending', false, false, 'Pending'],
  ['pending', true, false, 'Pending'],
  ['approved', true, false, 'Pending'],
  ['approved', false, false, 'Payable'],
  ['approved', false, true, 'Processing'],
  // A payout that includes it was created before the review.
  ['approved', true, true, 'Processing'],
  ['paid', false, false, 'Paid'],
  ['void', false, false, 'Void'],
] as const)('%s, in review %s, in a payout %s: %s', (status, in_review, in_payout, label) => {
  expect(pages.money[commissionState({ status, in_review, in_payout })]).toBe(label)
})
