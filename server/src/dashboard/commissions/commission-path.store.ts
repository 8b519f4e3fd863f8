import type { Commission } from '@tributary/contract'
import type { CommissionClawback, CommissionPayout, CommissionSummary } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { payoutOf } from '../../money/commissions/commission-list.store.ts'
import { shownEntryColumns } from '../../money/ledger/entries.ts'

/** The columns of an outer join: all set, or all null. */
type Joined<Columns> = Columns | { [Name in keyof Columns]: null }

interface SalePart {
  sale_id: number
  sale_external_id: string
  sale_customer_ref: string
  sale_amount_minor: number
  sale_currency: string
  sale_occurred_at: string
  sale_created_at: string
}

interface RulePart {
  rule_version: number
  rate_basis_points: number | null
  flat_minor: number | null
  flat_currency: string | null
  recurring_months: number | null
  rule_created_at: string
}

interface RefundPart {
  refund_external_id: string
  refund_amount_minor: number
  refund_occurred_at: string
}

interface EntryPart extends CommissionSummary {
  voided_at: string | null
  clawback_of: number | null
  payout_item_id: number | null
  fx_rate: string | null
  fx_source: string | null
  referral_status: 'pending_review' | 'approved' | 'rejected' | null
  flags: string[]
}

/** An entry with all rows that it references. */
export type PathRow = EntryPart & Joined<SalePart> & Joined<RulePart> & Joined<RefundPart>

export function findPath(db: Db, accountId: number, id: number): Promise<PathRow | undefined> {
  return db.first(sql`
    SELECT ${shownEntryColumns(accountId)}, c.voided_at, c.clawback_of, c.payout_item_id, c.fx_rate::text AS fx_rate, c.fx_source,
           a.name AS affiliate_name, a.email AS affiliate_email, g.name AS campaign_name,
           r.customer_ref, coalesce(r.is_test, false) AS is_test, r.status AS referral_status, ${payoutOf(accountId)},
           coalesce(v.attribution -> 'review', '[]') AS flags,
           c.sale_id, s.external_id AS sale_external_id, s.customer_ref AS sale_customer_ref, s.amount_minor AS sale_amount_minor,
           s.currency AS sale_currency, s.occurred_at AS sale_occurred_at, s.created_at AS sale_created_at,
           c.rule_version, u.rate_basis_points, u.flat_minor, u.flat_currency, u.recurring_months, u.created_at AS rule_created_at,
           f.external_id AS refund_external_id, f.amount_minor AS refund_amount_minor, f.occurred_at AS refund_occurred_at
      FROM commissions c
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = c.affiliate_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
      LEFT JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = c.referral_id
      LEFT JOIN sales s ON s.account_id = ${accountId} AND s.id = c.sale_id
      LEFT JOIN commission_rules u ON u.account_id = ${accountId} AND u.campaign_id = c.campaign_id
                                  AND u.version = c.rule_version AND u.beneficiary = c.beneficiary
      LEFT JOIN refunds f ON f.account_id = ${accountId} AND f.id = c.refund_id
     WHERE c.account_id = ${accountId} AND c.id = ${id}`)
}

const SHOWN_CLAWBACKS = 100

export function listClawbacks(db: Db, accountId: number, id: number): Promise<CommissionClawback[]> {
  return db.many(sql`
    SELECT c.id, c.entry_type, c.amount_minor, c.currency, c.payout_amount_minor, c.payout_currency, c.status, c.description,
           c.created_at, f.external_id AS refund_external_id
      FROM commissions c
      LEFT JOIN refunds f ON f.account_id = ${accountId} AND f.id = c.refund_id
     WHERE c.account_id = ${accountId} AND c.clawback_of = ${id} ORDER BY c.id LIMIT ${SHOWN_CLAWBACKS}`)
}

/**
 * The payouts that included the entry, newest first; for a payout entry, its own payout. Held and released pins have separate indexes,
 * so they are queried separately.
 */
export function listPayoutsOf(
  db: Db,
  accountId: number,
  { id, payout_item_id }: Pick<PathRow, 'payout_item_id'> & Pick<Commission, 'id'>,
): Promise<CommissionPayout[]> {
  return db.many(sql`
    WITH items AS (
      SELECT p.payout_item_id AS id FROM pinned_commissions p
       WHERE p.account_id = ${accountId} AND p.commission_id = ${id} AND NOT p.released
      UNION SELECT p.payout_item_id FROM pinned_commissions p
       WHERE p.account_id = ${accountId} AND p.commission_id = ${id} AND p.released
      UNION SELECT ${payout_item_id}::bigint
    )
    SELECT b.id, i.id AS item_id, b.rail, i.status, i.amount_minor, i.currency, b.created_at, i.settled_at, i.reason, i.reference
      FROM items
      JOIN payout_items i ON i.account_id = ${accountId} AND i.id = items.id
      JOIN payouts b ON b.account_id = ${accountId} AND b.id = i.payout_id
     ORDER BY b.id DESC LIMIT 100`)
}

/**
 * The refund that voided an entry of this sale; null if it was not a refund. A sale that was credited after it was refunded in full was
 * voided by all of its refunds together: then it is the last of them.
 */
export async function findVoidingRefund(
  db: Db,
  accountId: number,
  { id, sale_id, sale_amount_minor, voided_at }: PathRow,
): Promise<string | null> {
  const row = await db.first<{ external_id: string }>(sql`
    WITH earlier AS (
      SELECT f.id, f.external_id, sum(f.amount_minor) OVER () AS refunded_minor FROM refunds f
       WHERE f.account_id = ${accountId} AND f.sale_id = ${sale_id} AND f.created_at <= ${voided_at})
    SELECT f.external_id FROM earlier f
      LEFT JOIN refund_voids v ON v.account_id = ${accountId} AND v.refund_id = f.id AND v.commission_id = ${id}
     WHERE v.refund_id IS NOT NULL OR f.refunded_minor = ${sale_amount_minor}
       AND NOT EXISTS (SELECT 1 FROM commissions b WHERE b.account_id = ${accountId} AND b.clawback_of = ${id})
     ORDER BY v.refund_id DESC NULLS LAST, f.id DESC LIMIT 1`)
  return row?.external_id ?? null
}
