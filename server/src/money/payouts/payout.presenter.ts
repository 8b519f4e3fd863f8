import type { Payout } from '@tributary/contract'
import type { PayoutRow } from './payout.ts'

export const presentPayout = (row: PayoutRow): Payout => ({
  id: row.id,
  campaign_id: row.campaign_id,
  rail: row.rail,
  status: row.status,
  currency: row.currency,
  total_minor: row.total_minor,
  created_at: row.created_at,
  items: row.items.map(item => ({
    id: item.id,
    affiliate_id: item.affiliate_id,
    amount_minor: item.amount_minor,
    currency: item.currency,
    status: item.status,
  })),
})
