/** Protects affiliates from a wrong promise: the text states exactly what a campaign pays. */
import type { CampaignRule } from '@tributary/contract/dashboard'
import { expect, it } from 'vitest'
import { money, percent, shortMoney } from '../../ui/format.ts'
import { rewardText } from './reward-text.ts'

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
  [null, 'of every customer payment'],
  [0, "of each customer's first payment"],
  [1, "of each customer's payments for 1 month"],
  [12, "of each customer's payments for 12 months"],
])('a percentage for %s months', (recurring_months, text) => {
  expect(rewardText([rule({ rate_basis_points: 1250, recurring_months })])).toBe(`${percent(0.125)} ${text}`)
})

it.each([
  [null, 'per customer payment'],
  [0, 'per new customer'],
  [1, 'per customer payment for 1 month'],
  [12, 'per customer payment for 12 months'],
])('a fixed amount for %s months', (recurring_months, text) => {
  expect(rewardText([rule({ flat_minor: 1250, flat_currency: 'USD', recurring_months })])).toBe(
    `${money(1250, 'USD')} ${text}`,
  )
})

it.each(['JPY', 'KWD'])('a fixed amount in %s', flat_currency => {
  expect(rewardText([rule({ flat_minor: 1250, flat_currency, recurring_months: 0 })])).toBe(
    `${money(1250, flat_currency)} per new customer`,
  )
})

it('drops the decimals of whole amounts only', () => {
  expect(shortMoney(2500, 'USD')).toMatch(/25(?![.,]\d)/)
  expect(shortMoney(2550, 'USD')).toBe(money(2550, 'USD'))
  expect(shortMoney(2500, 'JPY')).toBe(money(2500, 'JPY'))
})

it('credit, and what a friend gets, in whatever order the rules come', () => {
  const rules = [
    rule({ beneficiary: 'referee', rate_basis_points: 1000 }),
    rule({ beneficiary: 'referrer', entry_type: 'credit', flat_minor: 550, flat_currency: 'EUR' }),
  ]
  const text = `${money(550, 'EUR')} per customer payment, as credit; your friend gets ${percent(0.1)}`
  expect(rewardText(rules)).toBe(text)
  expect(rewardText(rules.toReversed())).toBe(text)
})

it('is empty when nothing is paid', () => {
  expect(rewardText([])).toBe('')
})
