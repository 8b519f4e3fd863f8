import { describe, expect, it } from 'vitest'
import { actionText, subjectPage } from './audit-text.ts'
import { texts } from './en.ts'

describe('the text of an action', () => {
  it.each([
    ['campaign.create', {}, 'Created a campaign'],
    ['referral.review', { status: 'approved' }, 'Approved referrals'],
    ['commission.review', { status: 'void' }, 'Voided commissions'],
    ['webhook_endpoint.switch', { status: 'disabled' }, 'Disabled a webhook endpoint'],
    // Without a known status, the text covers both decisions.
    ['referral.review', {}, 'Approved or rejected referrals'],
    ['referral.review', { status: 'elsewhere' }, 'Approved or rejected referrals'],
    ['campaign.update', { status: 'active' }, 'Updated a campaign'],
    // An unknown action, such as one of a later version.
    ['moon.land', {}, 'moon.land'],
    ['constructor', { status: 'toString' }, 'constructor'],
    ['referral.review', { status: 'constructor' }, 'Approved or rejected referrals'],
  ])('%s with %j is "%s"', (action, details, text) => {
    expect(actionText({ action, details })).toBe(text)
  })

  it('differs for every action', () => {
    const all = Object.values(texts.actions)
    expect(all.filter(each => each.trim() === '')).toEqual([])
    expect(new Set(all).size).toBe(all.length)
  })
})

describe('the page of the subject', () => {
  it.each([
    ['affiliate.update', '7', 'affiliates/7'],
    ['payout.pay', '7', 'payouts/7'],
    ['delivery.redeliver', '7', 'webhooks/deliveries/7'],
    ['webhook_endpoint.delete', '7', 'webhooks'],
    ['api_key.revoke', '7', 'settings/api-keys'],
    ['team.invite', '7', 'settings/team'],
    ['portal.update', '7', 'settings/portal'],
    ['tracking.update', null, 'settings/tracking'],
    ['account.update', '7', 'settings/general'],
    ['moon.land', '7', undefined],
    ['mail.read', '7', undefined],
    ['affiliate.update', null, undefined],
  ])('%s of %s is %s', (action, subject_id, page) => {
    expect(subjectPage({ action, subject_id } as Parameters<typeof subjectPage>[0])).toBe(page)
  })
})
