import type { Commission } from '@tributary/contract'
import type { CommissionRow } from './commission.ts'

export const presentCommission = (row: CommissionRow): Commission => ({
  id: row.id,
  campaign_id: row.campaign_id,
  affiliate_id: row.affiliate_id,
  referral_id: row.referral_id,
  entry_type: row.entry_type,
  beneficiary: row.beneficiary,
  amount_minor: row.amount_minor,
  currency: row.currency,
  payout_amount_minor: row.payout_amount_minor,
  payout_currency: row.payout_currency,
  status: row.status,
  hold_until: row.hold_until,
  description: row.description,
  created_at: row.created_at,
})
