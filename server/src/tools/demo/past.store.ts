import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Moment, Past } from './past.ts'

const ids = (moments: Moment[]) => moments.map(({ id }) => id)
const times = (moments: Moment[]) => moments.map(({ at }) => at)

/**
 * Backdates the account's rows. The use cases stamp everything with the time of the demo run, but the data covers a year. Only
 * timestamps of this account change, only inside the caller's transaction, and only as owner of the tables. Ledger and audit rows are
 * still staged: their final tables are append-only.
 */
export async function moveToThePast(tx: Tx, accountId: number, past: Past, begin: string): Promise<void> {
  await moveSetUp(tx, accountId, begin, past)
  await moveReports(tx, accountId)
  await moveEntries(tx, accountId, past)
  await movePayouts(tx, accountId, past)
  await moveRecords(tx, accountId, past)
  await moveEvents(tx, accountId, past)
}

/** The account, its team, campaigns, creatives and keys date from the first day. */
async function moveSetUp(tx: Tx, accountId: number, begin: string, past: Past): Promise<void> {
  await tx.many(sql`UPDATE accounts SET created_at = ${begin} WHERE id = ${accountId}`)
  await tx.many(sql`UPDATE memberships m SET created_at = ${begin} WHERE m.account_id = ${accountId}`)
  await tx.many(sql`UPDATE campaigns c SET created_at = ${begin} WHERE c.account_id = ${accountId}`)
  await tx.many(sql`UPDATE creatives c SET created_at = ${begin} WHERE c.account_id = ${accountId}`)
  await tx.many(sql`UPDATE commission_rules r SET created_at = ${begin} WHERE r.account_id = ${accountId}`)
  // The first key was replaced by the second when the backend moved; a third is new and unused.
  await tx.many(sql`
    UPDATE api_keys k SET created_at = ${begin}::timestamptz + n.number * interval '120 days',
           revoked_at = CASE n.number WHEN 0 THEN ${begin}::timestamptz + interval '127 days' END,
           last_used_at = CASE n.number WHEN 0 THEN ${begin}::timestamptz + interval '126 days' WHEN 1 THEN now() - interval '4 minutes' END
      FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS number FROM api_keys WHERE account_id = ${accountId}) n
     WHERE k.account_id = ${accountId} AND k.id = n.id`)
  await tx.many(sql`
    UPDATE affiliates a SET created_at = m.at
      FROM unnest(${ids(past.affiliates)}::bigint[], ${times(past.affiliates)}::timestamptz[]) AS m (id, at)
     WHERE a.account_id = ${accountId} AND a.id = m.id`)
  await tx.many(sql`
    UPDATE enrolments e SET created_at = a.created_at FROM affiliates a
     WHERE e.account_id = ${accountId} AND a.account_id = ${accountId} AND a.id = e.affiliate_id`)
  await tx.many(sql`
    UPDATE webhook_endpoints w SET created_at = m.at
      FROM unnest(${ids(past.endpoints)}::bigint[], ${times(past.endpoints)}::timestamptz[]) AS m (id, at)
     WHERE w.account_id = ${accountId} AND w.id = m.id`)
}

/** Reports are received when they occur. */
async function moveReports(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`UPDATE conversions v SET created_at = v.occurred_at WHERE v.account_id = ${accountId}`)
  await tx.many(sql`UPDATE referrals r SET created_at = r.occurred_at WHERE r.account_id = ${accountId}`)
  await tx.many(sql`UPDATE sales s SET created_at = s.occurred_at WHERE s.account_id = ${accountId}`)
  await tx.many(sql`UPDATE refunds f SET created_at = f.occurred_at WHERE f.account_id = ${accountId}`)
}

/** Entries get the time of their sale, refund, rejection or adjustment. */
async function moveEntries(tx: Tx, accountId: number, { rejections, adjustments }: Past): Promise<void> {
  await tx.many(sql`
    UPDATE commissions c SET created_at = s.occurred_at FROM sales s
     WHERE c.account_id = ${accountId} AND c.entry_type IN ('earned', 'credit') AND s.account_id = ${accountId} AND s.id = c.sale_id`)
  await tx.many(sql`
    UPDATE commissions c SET created_at = f.occurred_at FROM refunds f
     WHERE c.account_id = ${accountId} AND f.account_id = ${accountId} AND f.id = c.refund_id`)
  await tx.many(sql`
    UPDATE commissions c SET voided_at = f.occurred_at
      FROM refund_voids v JOIN refunds f ON f.account_id = v.account_id AND f.id = v.refund_id
     WHERE c.account_id = ${accountId} AND v.account_id = ${accountId} AND v.commission_id = c.id`)
  await tx.many(sql`
    UPDATE commissions c SET created_at = CASE c.entry_type WHEN 'clawback' THEN m.at ELSE c.created_at END,
           voided_at = CASE c.status WHEN 'void' THEN m.at END
      FROM unnest(${ids(rejections)}::bigint[], ${times(rejections)}::timestamptz[]) AS m (referral_id, at)
     WHERE c.account_id = ${accountId} AND c.referral_id = m.referral_id AND c.refund_id IS NULL
       AND NOT EXISTS (SELECT 1 FROM refund_voids v WHERE v.account_id = ${accountId} AND v.commission_id = c.id)`)
  await tx.many(sql`
    UPDATE commissions c SET created_at = m.at
      FROM unnest(${ids(adjustments)}::bigint[], ${times(adjustments)}::timestamptz[]) AS m (id, at)
     WHERE c.account_id = ${accountId} AND c.id = m.id`)
  // Today's timestamps would be wrong; without them, approval is derived from the hold and the payout.
  await tx.many(
    sql`UPDATE commissions c SET approved_at = NULL WHERE c.account_id = ${accountId} AND c.approved_at IS NOT NULL`,
  )
  await tx.many(sql`
    UPDATE referrals r SET reviewed_at = NULL, review_periods = NULL
     WHERE r.account_id = ${accountId} AND (r.reviewed_at IS NOT NULL OR r.review_periods IS NOT NULL)`)
}

async function movePayouts(tx: Tx, accountId: number, { payouts, settlements }: Past): Promise<void> {
  await tx.many(sql`
    UPDATE payouts p SET created_at = m.at, cut_off = m.at
      FROM unnest(${ids(payouts)}::bigint[], ${times(payouts)}::timestamptz[]) AS m (id, at)
     WHERE p.account_id = ${accountId} AND p.id = m.id`)
  await tx.many(sql`
    UPDATE payouts p SET finished_at = m.at
      FROM unnest(${ids(settlements)}::bigint[], ${times(settlements)}::timestamptz[]) AS m (id, at)
     WHERE p.account_id = ${accountId} AND p.id = m.id AND p.finished_at IS NOT NULL`)
  await tx.many(sql`
    UPDATE payout_items i SET settled_at = m.at
      FROM unnest(${ids(settlements)}::bigint[], ${times(settlements)}::timestamptz[]) AS m (payout_id, at)
     WHERE i.account_id = ${accountId} AND i.payout_id = m.payout_id AND i.settled_at IS NOT NULL`)
  await tx.many(sql`
    UPDATE commissions c SET created_at = i.settled_at FROM payout_items i
     WHERE c.account_id = ${accountId} AND c.entry_type = 'payout' AND i.account_id = ${accountId} AND i.id = c.payout_item_id`)
}

/** Audit entries and emails. One written by a use case itself gets the time of the next one that the demo recorded. */
async function moveRecords(tx: Tx, accountId: number, { auditLines, mails }: Past): Promise<void> {
  await tx.many(sql`
    UPDATE audit_log l SET created_at = coalesce((
        SELECT m.at FROM unnest(${ids(auditLines)}::bigint[], ${times(auditLines)}::timestamptz[]) AS m (id, at)
         WHERE m.id >= l.id ORDER BY m.id LIMIT 1), l.created_at)
     WHERE l.account_id = ${accountId}`)
  await tx.many(sql`
    UPDATE mails l SET created_at = coalesce((
        SELECT m.at FROM unnest(${ids(mails)}::bigint[], ${times(mails)}::timestamptz[]) AS m (id, at)
         WHERE m.id >= l.id ORDER BY m.id LIMIT 1), l.created_at)
     WHERE l.account_id = ${accountId}`)
}

/** An event gets the time of its cause, also in its body: in the envelope and in the object that it contains. */
async function moveEvents(tx: Tx, accountId: number, { approvals }: Past): Promise<void> {
  await tx.many(sql`
    WITH caused AS (
      SELECT 'commission.created' AS kind, c.id, c.created_at AS at, c.created_at AS made_at FROM commissions c
       WHERE c.account_id = ${accountId}
      UNION ALL
      SELECT 'conversion.created', r.id, r.created_at, r.created_at FROM referrals r WHERE r.account_id = ${accountId}
      UNION ALL
      SELECT 'payout.paid', p.id, p.finished_at, p.created_at FROM payouts p
       WHERE p.account_id = ${accountId} AND p.finished_at IS NOT NULL
      UNION ALL
      SELECT 'promoter.approved', a.id, m.at, a.created_at
        FROM affiliates a JOIN unnest(${ids(approvals)}::bigint[], ${times(approvals)}::timestamptz[]) AS m (id, at) ON m.id = a.id
       WHERE a.account_id = ${accountId}
    ), written AS (
      SELECT kind, id, at, format('"created_at":"%s"', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS envelope,
             format('"created_at":"%s"', to_char(made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS data
        FROM caused
    )
    UPDATE events e SET created_at = w.at,
           body = regexp_replace(regexp_replace(e.body, '"created_at":"[^"]*"', w.envelope, 1, 1), '"created_at":"[^"]*"', w.data, 1, 2)
      FROM written w WHERE e.account_id = ${accountId} AND e.kind = w.kind AND e.subject_id = w.id`)
  await tx.many(sql`
    UPDATE deliveries d SET created_at = e.created_at FROM events e
     WHERE d.account_id = ${accountId} AND e.account_id = ${accountId} AND e.id = d.event_id`)
}
