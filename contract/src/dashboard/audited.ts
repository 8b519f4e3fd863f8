/** What audit entries mention. Without schemas, as the pages import it too. */
export const auditedKinds = [
  ...(['affiliate', 'campaign', 'referral', 'commission', 'payout', 'payment'] as const),
  ...(['webhook_endpoint', 'delivery', 'api_key', 'member', 'email', 'creative'] as const),
] as const
export type AuditedKind = (typeof auditedKinds)[number]

/** The details of an entry that are IDs, and of what. */
export const auditedFields: Record<string, AuditedKind> = {
  affiliate_id: 'affiliate',
  campaign_id: 'campaign',
  referral_id: 'referral',
  commission_id: 'commission',
  payout_id: 'payout',
  item_id: 'payment',
  item_ids: 'payment',
  items: 'payment',
  endpoint_id: 'webhook_endpoint',
  delivery_id: 'delivery',
}
