import type { AuditedObject } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export type ObjectIds = Record<AuditedObject['kind'], number[]>

/** The current names of objects that audit entries mention. Deleted ones are absent. */
export function findAuditedObjects(db: Db, accountId: number, ids: ObjectIds): Promise<AuditedObject[]> {
  return db.many(sql`
    SELECT 'affiliate' AS kind, a.id, coalesce(a.name, a.email) AS name, NULL AS currency
      FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ANY (${ids.affiliate}::bigint[])
    UNION ALL
    SELECT 'campaign', g.id, g.name, g.payout_currency
      FROM campaigns g WHERE g.account_id = ${accountId} AND g.id = ANY (${ids.campaign}::bigint[])
    UNION ALL
    SELECT 'referral', r.id, r.customer_ref, NULL
      FROM referrals r WHERE r.account_id = ${accountId} AND r.id = ANY (${ids.referral}::bigint[])
    UNION ALL
    SELECT 'commission', c.id, coalesce(a.name, a.email), c.payout_currency
      FROM commissions c JOIN affiliates a ON a.account_id = ${accountId} AND a.id = c.affiliate_id
     WHERE c.account_id = ${accountId} AND c.id = ANY (${ids.commission}::bigint[])
    UNION ALL
    SELECT 'payout', p.id, g.name, p.currency
      FROM payouts p JOIN campaigns g ON g.account_id = ${accountId} AND g.id = p.campaign_id
     WHERE p.account_id = ${accountId} AND p.id = ANY (${ids.payout}::bigint[])
    UNION ALL
    SELECT 'payment', i.id, coalesce(a.name, a.email), i.currency
      FROM payout_items i JOIN affiliates a ON a.account_id = ${accountId} AND a.id = i.affiliate_id
     WHERE i.account_id = ${accountId} AND i.id = ANY (${ids.payment}::bigint[])
    UNION ALL
    SELECT 'webhook_endpoint', w.id, w.url, NULL
      FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND w.id = ANY (${ids.webhook_endpoint}::bigint[])
    UNION ALL
    SELECT 'delivery', d.id, e.kind, NULL
      FROM deliveries d JOIN events e ON e.account_id = ${accountId} AND e.id = d.event_id
     WHERE d.account_id = ${accountId} AND d.id = ANY (${ids.delivery}::bigint[])
    UNION ALL
    SELECT 'api_key', k.id, k.name, NULL
      FROM api_keys k WHERE k.account_id = ${accountId} AND k.id = ANY (${ids.api_key}::bigint[])
    UNION ALL
    SELECT 'member', u.id, coalesce(u.name, u.email), NULL
      FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.account_id = ${accountId} AND u.id = ANY (${ids.member}::bigint[])
    UNION ALL
    SELECT 'email', m.id, m.subject, NULL
      FROM mails m WHERE m.account_id = ${accountId} AND m.id = ANY (${ids.email}::bigint[])
    UNION ALL
    SELECT 'creative', c.id, c.name, NULL
      FROM creatives c WHERE c.account_id = ${accountId} AND c.id = ANY (${ids.creative}::bigint[])`)
}
