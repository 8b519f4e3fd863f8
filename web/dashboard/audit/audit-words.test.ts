import { describe, expect, it } from 'vitest'
import { actionWords, placeOf, shortDetails, wordsOf } from './audit-words.ts'

describe('an action in words', () => {
  it.each([
    ['campaign.create', {}, 'opened a campaign'],
    ['referral.review', { status: 'approved' }, 'approved referrals'],
    ['commission.review', { status: 'void' }, 'voided commissions'],
    ['webhook_endpoint.switch', { status: 'disabled' }, 'disabled a webhook endpoint'],
    // Without a status that is known, what both have in common.
    ['referral.review', {}, 'approved or rejected referrals'],
    ['referral.review', { status: 'elsewhere' }, 'approved or rejected referrals'],
    ['campaign.update', { status: 'active' }, 'changed a campaign'],
    // Unknown here, such as an action of a later version.
    ['moon.land', {}, 'moon.land'],
    ['constructor', { status: 'toString' }, 'constructor'],
  ])('%s with %j is "%s"', (action, details, words) => {
    expect(wordsOf({ action, details })).toBe(words)
  })

  it('has words for every action, and no two alike', () => {
    const words = Object.values(actionWords)
    expect(words.filter(each => each.trim() === '')).toEqual([])
    expect(new Set(words).size).toBe(words.length)
  })
})

describe('the page of what was changed', () => {
  it.each([
    ['affiliate.update', '7', 'affiliates/7'],
    ['payout.pay', '7', 'payouts/7'],
    ['delivery.redeliver', '7', 'webhooks/deliveries/7'],
    ['webhook_endpoint.delete', '7', 'webhooks'],
    ['api_key.revoke', '7', 'settings/api-keys'],
    ['team.invite', '7', 'settings/team'],
    ['portal.update', '7', 'settings/portal'],
    ['account.update', '7', 'settings/general'],
    ['moon.land', '7', undefined],
    ['mail.read', '7', undefined],
    ['affiliate.update', null, undefined],
  ])('%s of %s is %s', (action, subject_id, place) => {
    expect(placeOf({ action, subject_id } as Parameters<typeof placeOf>[0])).toBe(place)
  })
})

describe('details in a line', () => {
  it('show texts as they are and the rest as JSON', () => {
    expect(shortDetails({ name: 'Ada', tags: ['a'], count: 0, gone: null })).toBe(
      'name: Ada, tags: ["a"], count: 0, gone: null',
    )
  })

  it('are cut after 60 characters, and not before', () => {
    expect(shortDetails({ a: 'x'.repeat(57) })).toBe(`a: ${'x'.repeat(57)}`)
    expect(shortDetails({ a: 'x'.repeat(58) })).toBe(`a: ${'x'.repeat(57)}…`)
  })
})
