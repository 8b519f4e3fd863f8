import type { Affiliate } from '@tributary/contract'
import type { AffiliateSummary } from '@tributary/contract/dashboard'
import type { AffiliateRow } from './affiliate.ts'
import type { ListedAffiliate } from './affiliate-list.store.ts'

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

/** A row of the dashboard's affiliate list. */
export const presentListed = (
  row: ListedAffiliate,
  balances: AffiliateSummary['balances'],
  performance: AffiliateSummary['performance'],
): AffiliateSummary => ({
  id: row.id,
  email: row.email,
  name: row.name,
  status: row.status,
  kind: row.kind,
  tags: row.tags,
  campaigns: row.campaigns,
  has_answers: row.has_answers,
  balances,
  performance,
  created_at: row.created_at,
})
