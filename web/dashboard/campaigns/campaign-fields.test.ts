/** Protects the terms of a campaign in the form: saving without a change keeps every one of them. */
import type { CampaignRule, CampaignSummary } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import {
  type CampaignFields,
  changesOf,
  creationOf,
  fieldsOfCampaign,
  newCampaignFields,
  problemsOf,
  type RuleFields,
  usualCurrencies,
} from './campaign-fields.ts'

const share = (rate_basis_points: number, more: Partial<CampaignRule> = {}): CampaignRule => ({
  beneficiary: 'affiliate',
  entry_type: 'earned',
  rate_basis_points,
  flat_minor: null,
  flat_currency: null,
  recurring_months: null,
  ...more,
})
const flat = (flat_minor: number, flat_currency: string, more: Partial<CampaignRule> = {}): CampaignRule =>
  share(0, { rate_basis_points: null, flat_minor, flat_currency, ...more })

const campaign = (rules: CampaignRule[], more: Partial<CampaignSummary> = {}) =>
  ({
    name: 'Partners',
    slug: 'partners',
    program_type: 'affiliate',
    visibility: 'public',
    payout_currency: 'USD',
    minimum_payout_minor: 5000,
    hold_days: 30,
    attribution_window_days: 60,
    attribution_model: 'last_click',
    open_enrollment: true,
    review_referrals: false,
    look_back: true,
    forbids_paid_search: false,
    destination_url: 'https://example.com/',
    rules,
    ...more,
  }) as CampaignSummary

const rewardsOf = (of: CampaignSummary) => creationOf(fieldsOfCampaign(of)).rewards
const fields = (changes: Partial<CampaignFields>): CampaignFields => ({ ...newCampaignFields, ...changes })
const rule = (changes: Partial<RuleFields>): RuleFields => ({
  kind: 'flat',
  percent: '',
  amount: '',
  currency: 'USD',
  ...changes,
})

describe('an update sends', () => {
  const before = fieldsOfCampaign(campaign([share(2000)]))

  it('nothing without a change', () => {
    expect(changesOf(before, { ...before, name: ' Partners ' })).toEqual({})
  })

  it('only the changed field, so that the commission a colleague has changed is kept', () => {
    expect(changesOf(before, { ...before, destination_url: 'https://example.com/new' })).toEqual({
      destination_url: 'https://example.com/new',
    })
  })

  it('the rewards as a whole, because they are one version of the rule', () => {
    expect(changesOf(before, { ...before, recurrence: 'first' })).toEqual({
      rewards: { commission: '20%', recurring_months: 0 },
    })
  })
})

describe('saved unchanged', () => {
  it('a campaign keeps its terms', () => {
    expect(creationOf(fieldsOfCampaign(campaign([share(2000)])))).toEqual({
      name: 'Partners',
      slug: 'partners',
      program_type: 'affiliate',
      payout_currency: 'USD',
      visibility: 'public',
      attribution_model: 'last_click',
      attribution_window_days: 60,
      hold_days: 30,
      minimum_payout_minor: 5000,
      open_enrollment: true,
      destination_url: 'https://example.com/',
      review_referrals: false,
      look_back: true,
      forbids_paid_search: false,
      rewards: { commission: '20%', recurring_months: null },
    })
  })

  it.each([
    [1, '0.01%'],
    [50, '0.5%'],
    [1000, '10%'],
    [1250, '12.5%'],
    [3333, '33.33%'],
    [10_000, '100%'],
  ])('a share of %i basis points stays %s', (basisPoints, text) => {
    expect(rewardsOf(campaign([share(basisPoints)]))?.commission).toBe(text)
  })

  it.each([
    [1, 'USD'],
    [2500, 'USD'],
    [500, 'JPY'],
    [1, 'KWD'],
    [12_345, 'CLF'],
    [99_999_999, 'HUF'],
  ])('%i minor units of %s stay the same', (minor, currency) => {
    expect(rewardsOf(campaign([flat(minor, currency)]))?.commission).toBe(`${minor} ${currency}`)
  })

  it.each([
    ['USD', 1],
    ['JPY', 5000],
    ['KWD', 1],
    ['USD', 0],
  ])('a minimum in %s of %i stays the same', (payout_currency, minimum_payout_minor) => {
    const saved = creationOf(
      fieldsOfCampaign(campaign([share(100)], { payout_currency, minimum_payout_minor })),
    )
    expect(saved.minimum_payout_minor).toBe(minimum_payout_minor)
  })

  it.each([null, 0, 1, 12, 1200])('the first %s months stay the same', recurring_months => {
    expect(rewardsOf(campaign([share(100, { recurring_months })]))?.recurring_months).toBe(recurring_months)
  })

  it('a referral campaign keeps what the new customer gets, and credits', () => {
    const rules = [
      flat(1000, 'EUR', { beneficiary: 'referrer', entry_type: 'credit' }),
      share(1500, { beneficiary: 'referee', entry_type: 'credit' }),
    ]
    expect(rewardsOf(campaign(rules, { program_type: 'referral' }))).toEqual({
      commission: '1000 EUR',
      recurring_months: null,
      referee_reward: '15%',
      credit: true,
    })
  })

  it('a referral campaign without a reward for the new customer sends null', () => {
    const rules = [share(1000, { beneficiary: 'referrer' })]
    expect(rewardsOf(campaign(rules, { program_type: 'referral' }))).toMatchObject({
      referee_reward: null,
      credit: false,
    })
  })
})

describe('validation', () => {
  it.each(['20', '0.01', '12,5', ' 100 '])('accepts a percentage of %s', percent => {
    expect(problemsOf.reward(rule({ kind: 'percent', percent }))).toBeNull()
  })
  it.each(['', '0', '0.00', '100.01', '101', '-5', '1.234', '5%', 'half'])(
    'refuses a percentage of "%s"',
    percent => {
      expect(problemsOf.reward(rule({ kind: 'percent', percent }))).not.toBeNull()
    },
  )

  it.each([
    ['10', 'USD'],
    ['0.01', 'USD'],
    ['500', 'JPY'],
    ['0,001', 'KWD'],
  ])('accepts %s %s', (amount, currency) => {
    expect(problemsOf.reward(rule({ amount, currency }))).toBeNull()
  })
  it.each([
    ['0', 'USD'],
    ['-1', 'USD'],
    ['0.001', 'USD'],
    ['0.5', 'JPY'],
    ['', 'USD'],
    ['10', 'US'],
    ['10', 'usd'],
    ['10', ''],
  ])('refuses an amount of "%s" "%s"', (amount, currency) => {
    expect(problemsOf.reward(rule({ amount, currency }))).not.toBeNull()
  })

  it('checks the reward of the new customer in a referral campaign only', () => {
    const wrong = rule({ amount: 'much' })
    expect(problemsOf.refereeReward(wrong, fields({ program_type: 'affiliate' }))).toBeNull()
    expect(problemsOf.refereeReward(wrong, fields({ program_type: 'referral' }))).not.toBeNull()
    expect(problemsOf.refereeReward(rule({ kind: 'none' }), fields({ program_type: 'referral' }))).toBeNull()
  })

  it.each([
    [0, null],
    [3650, null],
    [-1, 'Enter a whole number from 0 to 3650'],
    [3651, 'Enter a whole number from 0 to 3650'],
    [1.5, 'Enter a whole number from 0 to 3650'],
    ['', 'Enter a whole number from 0 to 3650'],
    ['30', 'Enter a whole number from 0 to 3650'],
  ])('a hold period of %j days: %s', (days, problem) => {
    expect(problemsOf.hold_days(days)).toBe(problem)
  })

  it('requires the number of months where it applies', () => {
    expect(problemsOf.months('', fields({ recurrence: 'months' }))).not.toBeNull()
    expect(problemsOf.months(0, fields({ recurrence: 'months' }))).not.toBeNull()
    expect(problemsOf.months('', fields({ recurrence: 'forever' }))).toBeNull()
  })

  it('refuses a minimum with more decimals than its currency', () => {
    expect(problemsOf.minimum('50.00', fields({ payout_currency: 'USD' }))).toBeNull()
    expect(problemsOf.minimum('0', fields({ payout_currency: 'USD' }))).toBeNull()
    expect(problemsOf.minimum('50.00', fields({ payout_currency: 'JPY' }))).not.toBeNull()
    expect(problemsOf.minimum('-1', fields({ payout_currency: 'USD' }))).not.toBeNull()
  })

  it.each([
    ['', true],
    ['a', true],
    ['summer-2026', true],
    ['-a', false],
    ['a--b', false],
    ['A', false],
    ['a b', false],
  ])('the slug "%s" is valid: %s', (slug, isValid) => {
    expect(problemsOf.slug(slug) === null).toBe(isValid)
  })

  it.each([
    ['', true],
    ['https://example.com', true],
    ['HTTP://x', true],
    ['example.com', false],
    ['https://', false],
    ['javascript:alert(1)', false],
  ])('the URL "%s" is valid: %s', (url, isValid) => {
    expect(problemsOf.destination_url(url) === null).toBe(isValid)
  })

  it('refuses a blank name and a malformed currency code', () => {
    expect(problemsOf.name('  ')).not.toBeNull()
    expect(problemsOf.name(' x ')).toBeNull()
    expect(usualCurrencies.map(problemsOf.payout_currency).filter(Boolean)).toEqual([])
    expect(problemsOf.payout_currency('Usd')).not.toBeNull()
  })

  it('accepts the defaults of a new campaign, except for the missing name', () => {
    const wrong = Object.entries(problemsOf).filter(([name, problem]) => {
      const value = newCampaignFields[name as keyof CampaignFields]
      return (problem as (value: unknown, fields: CampaignFields) => string | null)(value, newCampaignFields)
    })
    expect(wrong.map(([name]) => name)).toEqual(['name'])
  })
})

it('a new campaign has a slug only where one was typed', () => {
  const created = creationOf(fields({ name: ' Summer ' }))
  expect(created).toMatchObject({ name: 'Summer', program_type: 'affiliate', payout_currency: 'USD' })
  expect(created).not.toHaveProperty('slug')
  expect(creationOf(fields({ slug: 'summer' }))).toMatchObject({ slug: 'summer' })
})
