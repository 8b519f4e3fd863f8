import { describe, expect, it } from 'vitest'
import { disposableEmail, sharedNetwork, sharedPayoutAddress } from './identity-rules.ts'
import { type Found, scoreOf } from './signal.ts'
import {
  type Conversions,
  clickVelocity,
  conversionRate,
  instantSales,
  paidSearch,
  plausibleRate,
} from './traffic-rules.ts'

/** The score and the facts behind it, or nothing. */
const summary = (found: Found | undefined) =>
  found && { score: scoreOf(found), facts: found.parts.map(({ fact, points }) => `${fact} ${points}`) }

describe('clicks of one day', () => {
  const peak = { affiliate_id: 1, day: '2026-01-31', clicks: 1000, unique_clicks: 900, usual: 40 }
  it.each([
    ['five times the usual', { clicks: 200, unique_clicks: 190 }, 30, ['clicks_in_day 30']],
    ['twenty-five times', {}, 53, ['clicks_in_day 53']],
    [
      'a hundred times, and no more points',
      { clicks: 100_000, unique_clicks: 90_000 },
      60,
      ['clicks_in_day 60'],
    ],
    ['of few visitors', { unique_clicks: 10 }, 92, ['clicks_in_day 53', 'few_visitors 39']],
    ['of a quiet affiliate', { usual: 0 }, 60, ['clicks_in_day 60']],
    [
      'of few visitors of a new affiliate',
      { usual: null, unique_clicks: 10 },
      99,
      ['clicks_in_day 60', 'few_visitors 39'],
    ],
  ])('%s', (_, more, score, facts) => {
    expect(summary(clickVelocity({ ...peak, ...more }))).toEqual({ score, facts })
  })
  it.each([
    ['too few', { clicks: 199, usual: 1 }],
    ['as usual', { usual: 900 }],
    ['four times the usual', { usual: 250 }],
    ['a new affiliate, who has no usual number', { usual: null }],
  ])('no signal: %s', (_, more) => {
    expect(clickVelocity({ ...peak, ...more })).toBeUndefined()
  })
  it('names the day and what is usual', () => {
    expect(clickVelocity(peak)?.parts[0]).toEqual({
      fact: 'clicks_in_day',
      points: 53,
      value: 1000,
      of: null,
      usual: 40,
      text: '2026-01-31',
    })
  })
})

describe('the conversion rate', () => {
  const row: Conversions = {
    affiliate_id: 1,
    campaign_id: 2,
    clicks: 100,
    conversions: 40,
    sales: 40,
    instant: 0,
    other_clicks: 10_000,
    other_conversions: 500,
    other_sales: 500,
    other_instant: 0,
  }
  it.each([
    ['eight times that of others', {}, 76, ['rate_of_others 46', 'conversions_counted 30']],
    [
      'few, but certain',
      { clicks: 20, conversions: 10 },
      52,
      ['rate_of_others 42', 'conversions_counted 10'],
    ],
    ['more conversions than clicks', { clicks: 20 }, 90, ['rate_of_others 60', 'conversions_counted 30']],
  ])('%s', (_, more, score, facts) => {
    expect(summary(conversionRate({ ...row, ...more }))).toEqual({ score, facts })
  })
  it.each([
    ['too few to tell', { conversions: 9, clicks: 9 }],
    ['as others', { other_conversions: 4000 }],
    ['no others', { other_clicks: 0, other_conversions: 0 }],
    ['others without conversions', { other_conversions: 0 }],
    ['what chance explains: twice the rate of others, in 14 conversions', { clicks: 140, conversions: 14 }],
    ['clicks that were dropped', { clicks: 0 }],
  ])('no signal: %s', (_, more) => {
    expect(conversionRate({ ...row, ...more })).toBeUndefined()
  })
  it('is plausible down to the end of the interval', () => {
    expect(plausibleRate(50, 100)).toBeCloseTo(0.3564, 3)
    expect(plausibleRate(0, 100)).toBe(0)
    expect(plausibleRate(30, 20)).toBeLessThan(1)
  })

  it.each([
    ['half of the sales', { instant: 20 }, 65, ['instant_sales 40', 'instant_share 25']],
    ['all of them', { instant: 40 }, 100, ['instant_sales 50', 'instant_share 50']],
    ['of earlier clicks too', { instant: 20, conversions: 0 }, 65, ['instant_sales 40', 'instant_share 25']],
    [
      'twice as many as others',
      { instant: 20, other_instant: 125 },
      65,
      ['instant_sales 40', 'instant_share 25'],
    ],
    [
      'too few of others to compare',
      { instant: 20, other_instant: 19, other_sales: 19 },
      65,
      ['instant_sales 40', 'instant_share 25'],
    ],
  ])('instant sales: %s', (_, more, score, facts) => {
    expect(summary(instantSales({ ...row, ...more }))).toEqual({ score, facts })
  })
  it.each([
    ['four', { instant: 4, sales: 4 }],
    ['a small share', { instant: 7 }],
    ['common in the campaign', { instant: 20, other_instant: 130 }],
    ['none', {}],
  ])('no instant sales: %s', (_, more) => {
    expect(instantSales({ ...row, ...more })).toBeUndefined()
  })
})

describe('paid search', () => {
  const clicks = { affiliate_id: 1, campaign_id: 2, week: 200, clicks: 200, paid: 150, parameter: 'gclid' }
  it('counts clicks from ads, and their share', () => {
    expect(summary(paidSearch(clicks))).toEqual({
      score: 90,
      facts: ['paid_clicks 60', 'paid_share 30'],
    })
  })
  it('a stray click or two is none', () => {
    expect(paidSearch({ ...clicks, clicks: 20, paid: 2 })).toBeUndefined()
  })
  it('nor are a few of many', () => {
    expect(paidSearch({ ...clicks, paid: 9 })).toBeUndefined()
    expect(paidSearch({ ...clicks, paid: 10 })).toBeDefined()
  })
  it('weighs the whole week', () => {
    expect(paidSearch({ ...clicks, week: 2000 })?.weight).toBe(1500)
  })
})

describe('accounts of one person', () => {
  it.each([
    [2, undefined, 60],
    [3, 40, 69],
    [6, 60, 84],
    [1000, 90, 100],
  ])('%i accounts', (accounts, network, address) => {
    const shared = { affiliate_id: 1, accounts, others: [2] }
    expect(summary(sharedNetwork(shared))?.score).toBe(network)
    expect(summary(sharedPayoutAddress(shared))?.score).toBe(address)
  })
  it('one account shares nothing', () => {
    expect(sharedPayoutAddress({ affiliate_id: 1, accounts: 1, others: [] })).toBeUndefined()
  })
})

describe('disposable addresses', () => {
  const domains = new Set(['trash.example'])
  it.each([
    ['trash.example', null, 50],
    ['eu.trash.example', null, 50],
    ['trash.example', 'trash.example', 80],
    ['mail.example', 'trash.example', 30],
    ['not-trash.example', null, undefined],
    ['trash.example.org', 'mail.example', undefined],
  ])('%s, paid to %s', (domain, payout_domain, score) => {
    expect(summary(disposableEmail({ affiliate_id: 1, domain, payout_domain }, domains))?.score).toBe(score)
  })
})
