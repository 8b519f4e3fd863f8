import type { AffiliateEvent, CampaignStatus } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { isTheirs } from '../../money/ledger/own-money.ts'

export interface EnrolmentRow {
  campaign_id: number
  campaign_name: string
  campaign_slug: string
  program_type: 'affiliate' | 'referral'
  campaign_status: CampaignStatus
  payout_currency: string
  destination_url: string | null
  enrolled_at: string
}

export function listEnrolments(db: Db, accountId: number, affiliateId: number): Promise<EnrolmentRow[]> {
  return db.many(sql`
    SELECT c.id AS campaign_id, c.name AS campaign_name, c.slug AS campaign_slug, c.program_type, c.status AS campaign_status, c.payout_currency,
           c.destination_url,
           e.created_at AS enrolled_at
      FROM enrolments e JOIN campaigns c ON c.account_id = e.account_id AND c.id = e.campaign_id
     WHERE e.account_id = ${accountId} AND e.affiliate_id = ${affiliateId} ORDER BY e.id`)
}

const SHOWN_EVENTS = 50

/**
 * The newest activity of an affiliate, of every kind. Each kind is limited to the length of the whole list. A payout is represented by
 * its item; including its ledger entry would show it twice.
 */
export function listEvents(db: Db, accountId: number, affiliateId: number): Promise<AffiliateEvent[]> {
  return db.many(sql`
    SELECT event.kind, event.id, event.at, event.status, event.type, g.name AS campaign_name, event.customer_ref,
           event.amount_minor, event.currency, event.is_test
      FROM (
        (SELECT 'joined' AS kind, a.id, a.created_at AS at, NULL AS status, NULL AS type, NULL::bigint AS campaign_id,
                NULL AS customer_ref, NULL::bigint AS amount_minor, NULL AS currency, false AS is_test
           FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ${affiliateId})
        UNION ALL
        (SELECT 'enrolled', e.id, e.created_at, NULL, NULL, e.campaign_id, NULL, NULL, NULL, false
           FROM enrolments e WHERE e.account_id = ${accountId} AND e.affiliate_id = ${affiliateId}
          ORDER BY e.id DESC LIMIT ${SHOWN_EVENTS})
        UNION ALL
        (SELECT 'referral', r.id, r.created_at, r.status, NULL, r.campaign_id, r.customer_ref, NULL, NULL, r.is_test
           FROM referrals r WHERE r.account_id = ${accountId} AND r.affiliate_id = ${affiliateId}
          ORDER BY r.id DESC LIMIT ${SHOWN_EVENTS})
        UNION ALL
        (SELECT 'commission', c.id, c.created_at, c.status, c.entry_type, c.campaign_id, r.customer_ref, c.payout_amount_minor,
                c.payout_currency, coalesce(r.is_test, false)
           FROM commissions c
           LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
          WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId} AND c.entry_type <> 'payout'
            AND ${isTheirs}
          ORDER BY c.id DESC LIMIT ${SHOWN_EVENTS})
        UNION ALL
        (SELECT 'payout', p.id, coalesce(i.settled_at, p.created_at), i.status, p.rail, p.campaign_id, NULL, i.amount_minor,
                i.currency, false
           FROM payout_items i
           JOIN payouts p ON p.account_id = i.account_id AND p.id = i.payout_id
          WHERE i.account_id = ${accountId} AND i.affiliate_id = ${affiliateId}
          ORDER BY i.id DESC LIMIT ${SHOWN_EVENTS})
      ) AS event
      LEFT JOIN campaigns g ON g.account_id = ${accountId} AND g.id = event.campaign_id
     ORDER BY event.at DESC, array_position(ARRAY['payout', 'commission', 'referral', 'enrolled', 'joined'], event.kind), event.id DESC
     LIMIT ${SHOWN_EVENTS}`)
}
