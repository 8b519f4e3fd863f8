import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/**
 * Creates a staging ledger for this transaction: temporary tables with the same names, which shadow the real ones. Entries are written and
 * updated there as usual, under the same constraints and trigger. Their ids come from the real sequence.
 */
export async function stageHistory(tx: Tx): Promise<void> {
  await tx.many(
    sql`CREATE TEMPORARY TABLE commissions (LIKE public.commissions INCLUDING ALL EXCLUDING IDENTITY) ON COMMIT DROP`,
  )
  await tx.many(
    sql`ALTER TABLE pg_temp.commissions ALTER id SET DEFAULT nextval(pg_get_serial_sequence('public.commissions', 'id'))`,
  )
  await tx.many(sql`
    CREATE TRIGGER commissions_only_move_forward BEFORE DELETE OR UPDATE ON pg_temp.commissions
       FOR EACH ROW EXECUTE FUNCTION commissions_only_move_forward()`)
  await tx.many(
    sql`CREATE TEMPORARY TABLE refund_voids (LIKE public.refund_voids INCLUDING ALL) ON COMMIT DROP`,
  )
}

/**
 * Copies an account's staged entries into the ledger, after `backdate` has set their timestamps. The ledger itself stays append-only: its
 * constraints check every entry, and its trigger stays enabled.
 */
export async function writeHistory(tx: Tx, accountId: number, backdate: () => Promise<void>): Promise<void> {
  await tx.many(sql`DROP TRIGGER commissions_only_move_forward ON pg_temp.commissions`)
  await backdate()
  await tx.many(sql`
    INSERT INTO public.commissions (account_id, id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
      payout_amount_minor, payout_currency, status, hold_until, description, created_at, sale_id, rule_version, clawback_of,
      refund_id, fx_rate, fx_source, payout_item_id, voided_at, approved_at, assignment, request_id)
    OVERRIDING SYSTEM VALUE
    SELECT c.account_id, c.id, c.campaign_id, c.affiliate_id, c.referral_id, c.entry_type, c.beneficiary, c.amount_minor,
      c.currency, c.payout_amount_minor, c.payout_currency, c.status, c.hold_until, c.description, c.created_at,
      c.sale_id, c.rule_version, c.clawback_of, c.refund_id, c.fx_rate, c.fx_source, c.payout_item_id, c.voided_at,
      c.approved_at, c.assignment, c.request_id
      FROM pg_temp.commissions c WHERE c.account_id = ${accountId} ORDER BY c.id`)
  await tx.many(sql`
    INSERT INTO public.refund_voids (account_id, refund_id, commission_id)
    SELECT v.account_id, v.refund_id, v.commission_id FROM pg_temp.refund_voids v WHERE v.account_id = ${accountId}`)
  // From here on the names refer to the real ledger again.
  await tx.many(sql`DROP TABLE pg_temp.commissions, pg_temp.refund_voids`)
}
