/** Protects affiliates from a wrong promise: what a campaign pays is said as it is. */
import type { CampaignRule } from '@tributary/contract/dashboard'
import { pages } from '@tributary/contract/portal/texts'
import { expect, it } from 'vitest'
import { money, percent } from '../../ui/format.ts'
import { rewardWords } from './reward-words.ts'

const { reward } = pages
const rule = (more: Partial<CampaignRule>): CampaignRule => ({
  beneficiary: 'affiliate',
  entry_type: 'earned',
  rate_basis_points: null,
  flat_minor: null,
  flat_currency: null,
  recurring_months: null,
  ...more,
})

it.each([
  [null, reward.forever],
  [0, reward.first],
  [1, reward.months(1)],
  [12, reward.months(12)],
])('a share for %s months', (recurring_months, howLong) => {
  expect(rewardWords([rule({ rate_basis_points: 1250, recurring_months })])).toBe(
    `${reward.percent(percent(0.125))}, ${howLong}`,
  )
})

it.each(['USD', 'JPY', 'KWD'])('a fixed amount in %s', flat_currency => {
  expect(rewardWords([rule({ flat_minor: 1250, flat_currency, recurring_months: 0 })])).toBe(
    `${reward.flat(money(1250, flat_currency))}, ${reward.first}`,
  )
})

it('credits, and what a friend gets, in whatever order the rules come', () => {
  const rules = [
    rule({ beneficiary: 'referee', rate_basis_points: 1000 }),
    rule({ beneficiary: 'referrer', entry_type: 'credit', flat_minor: 500, flat_currency: 'EUR' }),
  ]
  const words = `${reward.flat(money(500, 'EUR'))}, ${reward.forever}, ${reward.credit}, ${reward.friend(percent(0.1))}`
  expect(rewardWords(rules)).toBe(words)
  expect(rewardWords(rules.toReversed())).toBe(words)
})

it('says nothing where nothing is paid', () => {
  expect(rewardWords([])).toBe('')
})
