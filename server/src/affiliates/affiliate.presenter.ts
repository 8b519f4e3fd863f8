import type { Affiliate } from '@tributary/contract'
import type { AffiliateRow } from './affiliate.ts'

export const presentAffiliate = (row: AffiliateRow): Affiliate => ({
  id: row.id,
  campaign_ids: row.campaign_ids,
  email: row.email,
  name: row.name,
  status: row.status,
  kind: row.kind,
  token: row.token,
  coupon_code: row.coupon_code,
  paypal_email: row.paypal_email,
  tags: row.tags,
  created_at: row.created_at,
})
