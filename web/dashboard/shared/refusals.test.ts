import { expect, it } from 'vitest'
import { refusalTexts } from './refusals.ts'

it('counts the rows of each reason, the most frequent first', () => {
  expect(refusalTexts(['in payout 7', 'already paid', 'already paid'], 'commission')).toEqual([
    "2 commissions in your selection are already paid and won't change.",
    "1 commission in your selection is in payout 7 and won't change.",
  ])
  expect(refusalTexts([], 'commission')).toEqual([])
})
