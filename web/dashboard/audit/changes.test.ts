import type { AuditEntry } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { changesOf } from './changes.ts'
import { subjectsOf } from './mentions.ts'

const jane = { kind: 'affiliate', id: 7, name: 'Jane', currency: null } as const
const partners = { kind: 'campaign', id: 3, name: 'Partners', currency: 'USD' } as const
const entry = (given: Partial<AuditEntry>): AuditEntry => ({
  id: 1,
  actor_kind: 'user',
  actor_id: 1,
  actor_name: 'ada@example.com',
  address: null,
  action: 'affiliate.update',
  subject_id: 7,
  subject_kind: 'affiliate',
  objects: [jane],
  details: {},
  created_at: '2026-01-01T00:00:00.000Z',
  ...given,
})
const lines = (given: Partial<AuditEntry>) =>
  changesOf(entry(given)).map(({ field, before, after, mentions }) => {
    const value = mentions ? mentions.map(({ text }) => text).join(' + ') : after
    return before === undefined ? `${field}: ${value}` : `${field}: ${before} → ${value}`
  })

describe('the changes of an entry', () => {
  it('show each field before and after', () => {
    const details = { name: 'Jane', tags: ['vip', 'eu'], before: { name: null, tags: [] } }
    expect(lines({ details })).toEqual(['Name: none → Jane', 'Tags: none → vip, eu'])
  })

  it('show what older entries logged under another name', () => {
    const details = { role: 'viewer', role_before: 'owner', email: 'joe@example.com' }
    expect(lines({ action: 'team.change_role', details })).toEqual([
      'Role: owner → viewer',
      'Email: joe@example.com',
    ])
  })

  it('show money in its currency, rules as text, and switches in words', () => {
    const rule = {
      beneficiary: 'affiliate',
      entry_type: 'earned',
      rate_basis_points: 2000,
      flat_minor: null,
      flat_currency: null,
      recurring_months: null,
    }
    const details = {
      minimum_payout_minor: 5000,
      look_back: false,
      rewards: [rule],
      before: { minimum_payout_minor: 0, look_back: true, rewards: [] },
    }
    const [minimum, look, rewards] = lines({ action: 'campaign.update', objects: [partners], details })
    expect(minimum).toBe('Minimum payout: $0.00 → $50.00')
    expect(look).toBe('Credit past conversions: yes → no')
    expect(rewards).toMatch(/^Rewards: none → .*20%/)
  })

  it('show the amount of a sale or refund in its own currency', () => {
    const customer = { kind: 'referral', id: 5, name: 'customer-1', currency: null } as const
    const recorded = { objects: [customer, partners], details: { amount_minor: 9900, currency: 'JPY' } }
    expect(lines({ action: 'referral.record_sale', ...recorded })).toEqual([
      'Amount: ¥9,900',
      'Currency: JPY',
    ])
  })

  it('never show minor units as if they were whole ones', () => {
    const details = { sale_id: 4, amount_minor: 9900, before: { amount_minor: 100 } }
    expect(lines({ action: 'referral.record_refund', objects: [], details })).toContain(
      'Amount: 100 minor units → 9900 minor units',
    )
  })

  it('name what IDs refer to', () => {
    const details = { affiliate_id: 7, campaign_id: 3, amount_minor: -250, item_ids: [9, 10] }
    const payment = { kind: 'payment', id: 9, name: 'Jane', currency: 'USD' } as const
    expect(lines({ objects: [jane, partners, payment], details })).toEqual([
      'Affiliate: Jane',
      'Campaign: Partners',
      'Amount: -$2.50',
      'Payments: Payment 9 (Jane) + Payment 10 (deleted)',
    ])
  })
})

it('name what IDs referred to before', () => {
  const joe = { ...jane, id: 8, name: 'Joe' }
  const details = { affiliate_id: 7, before: { affiliate_id: 8 } }
  expect(lines({ action: 'referral.reassign', objects: [jane, joe], details })).toEqual([
    'Affiliate: Joe → Jane',
  ])
})

describe('the subjects of an entry', () => {
  it('are named and linked', () => {
    expect(subjectsOf(entry({}))).toEqual([{ text: 'Jane', page: 'affiliates/7' }])
    const payout = { kind: 'payout', id: 4, name: 'Partners', currency: 'USD' } as const
    expect(
      subjectsOf(entry({ action: 'payout.pay', subject_id: 4, subject_kind: 'payout', objects: [payout] })),
    ).toEqual([{ text: 'Payout 4 (Partners)', page: 'payouts/4' }])
  })

  it('of a bulk action are its rows', () => {
    const review = entry({ action: 'affiliate.review', subject_id: null, details: { ids: [7, 8] } })
    expect(subjectsOf(review).map(({ text }) => text)).toEqual(['Jane', 'Affiliate 8 (deleted)'])
  })

  it('that are gone keep the name in the details', () => {
    const gone = entry({
      action: 'webhook_endpoint.delete',
      subject_id: 5,
      subject_kind: 'webhook_endpoint',
      objects: [],
      details: { url: 'https://x.example' },
    })
    expect(subjectsOf(gone)).toEqual([{ text: 'https://x.example', page: 'webhooks' }])
    const invited = entry({
      action: 'team.invite',
      subject_id: 5,
      subject_kind: null,
      details: { email: 'a@b.c' },
    })
    expect(subjectsOf(invited)).toEqual([{ text: 'a@b.c', page: 'settings/team' }])
    const portal = entry({ action: 'portal.update', subject_id: null, subject_kind: null })
    expect(subjectsOf(portal)).toEqual([{ text: 'Portal settings', page: 'settings/portal' }])
  })
})
