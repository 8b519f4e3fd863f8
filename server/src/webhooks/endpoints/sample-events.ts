import type { Affiliate, Commission, EventKind, Payout, Referral } from '@tributary/contract'

const created_at = '2026-01-31T12:00:00.000Z'

const affiliate: Affiliate = {
  id: 1,
  campaign_ids: [1],
  email: 'jane@example.com',
  name: 'Jane Example',
  status: 'approved',
  kind: 'affiliate',
  token: 'jane',
  coupon_code: 'JANE10',
  paypal_email: 'jane@example.com',
  tags: ['sample'],
  created_at,
}

const referral: Referral = {
  id: 1,
  campaign_id: 1,
  affiliate_id: 1,
  customer_ref: 'customer-1',
  subscription_ref: null,
  status: 'approved',
  is_test: true,
  occurred_at: created_at,
  created_at,
}

const commission: Commission = {
  id: 1,
  campaign_id: 1,
  affiliate_id: 1,
  referral_id: 1,
  entry_type: 'earned',
  beneficiary: 'affiliate',
  amount_minor: 2000,
  currency: 'USD',
  payout_amount_minor: 2000,
  payout_currency: 'USD',
  status: 'pending',
  hold_until: '2026-03-02T12:00:00.000Z',
  description: 'A sample',
  created_at,
}

const payout: Payout = {
  id: 1,
  campaign_id: 1,
  rail: 'manual',
  status: 'paid',
  currency: 'USD',
  total_minor: 6000,
  created_at,
  items: [{ id: 1, affiliate_id: 1, amount_minor: 6000, currency: 'USD', status: 'paid' }],
}

/** The payloads of "Send test event", by kind. */
export const sampleEvents: Record<EventKind, { id: number }> = {
  'promoter.approved': affiliate,
  'conversion.created': referral,
  'commission.created': commission,
  'payout.paid': payout,
}
