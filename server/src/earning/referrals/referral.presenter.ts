import type { Referral } from '@tributary/contract'
import type { ReferralRow } from './referral.ts'

export const presentReferral = (row: ReferralRow): Referral => ({
  id: row.id,
  campaign_id: row.campaign_id,
  affiliate_id: row.affiliate_id,
  customer_ref: row.customer_ref,
  subscription_ref: row.subscription_ref,
  status: row.status,
  is_test: row.is_test,
  occurred_at: row.occurred_at,
  created_at: row.created_at,
})
