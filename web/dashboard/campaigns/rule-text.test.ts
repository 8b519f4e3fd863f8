import type { CampaignRule } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { percent, shortMoney } from '../../ui/format.ts'
import { ruleLine, ruleText } from './rule-text.ts'

const share = (rate_basis_points: number, recurring_months: number | null) => ({
  rate_basis_points,
  flat_minor: null,
  flat_currency: null,
  recurring_months,
})
const flat = (flat_minor: number, flat_currency: string, recurring_months: number | null) => ({
  rate_basis_points: null,
  flat_minor,
  flat_currency,
  recurring_months,
})

it.each([
  [null, 'of every customer payment'],
  [0, "of each customer's first payment"],
  [1, "of each customer's payments for 1 month"],
  [12, "of each customer's payments for 12 months"],
])('a percentage for %s months', (months, text) => {
  expect(ruleText(share(2000, months))).toBe(`${percent(0.2)} ${text}`)
})

it('keeps hundredths of a per cent', () => {
  expect(ruleText(share(1, null))).toMatch(/^0\D01/)
  expect(ruleText(share(10_000, null))).toMatch(/^100/)
})

it.each([
  [null, 'per customer payment'],
  [0, 'per new customer'],
  [12, 'per customer payment for 12 months'],
])('a fixed amount for %s months', (months, text) => {
  expect(ruleText(flat(1250, 'USD', months))).toBe(`${shortMoney(1250, 'USD')} ${text}`)
})

it.each(['USD', 'JPY', 'KWD'])('a fixed amount in %s', currency => {
  expect(ruleText(flat(1250, currency, 0))).toBe(`${shortMoney(1250, currency)} per new customer`)
})

describe('a line of the rules', () => {
  const line = (
    beneficiary: CampaignRule['beneficiary'],
    entry_type: CampaignRule['entry_type'] = 'earned',
  ) => ruleLine({ ...share(1000, 0), beneficiary, entry_type })

  it('says who gets it, where a campaign rewards two', () => {
    expect(line('affiliate')).toBe(`${percent(0.1)} of each customer's first payment`)
    expect(line('referrer')).toBe(`Referrer: ${percent(0.1)} of each customer's first payment`)
    expect(line('referee')).toBe(`New customer: ${percent(0.1)} of their first payment`)
  })

  it('says that it is credit', () => {
    expect(line('referee', 'credit')).toBe(`New customer: ${percent(0.1)} of their first payment, as credit`)
  })
})
