import type { CommissionDetail } from '@tributary/contract/dashboard'
import { creditsOfCommission, presentCredit } from '../../connectors/credits/credit-list.store.ts'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import {
  findPath,
  findVoidingRefund,
  listClawbacks,
  listPayoutsOf,
  type PathRow,
} from './commission-path.store.ts'

const saleOf = (row: PathRow): CommissionDetail['sale'] =>
  row.sale_id === null
    ? null
    : {
        external_id: row.sale_external_id,
        customer_ref: row.sale_customer_ref,
        amount_minor: row.sale_amount_minor,
        currency: row.sale_currency,
        occurred_at: row.sale_occurred_at,
        created_at: row.sale_created_at,
      }

const ruleOf = (row: PathRow): CommissionDetail['rule'] =>
  row.rule_version === null
    ? null
    : {
        version: row.rule_version,
        rate_basis_points: row.rate_basis_points,
        flat_minor: row.flat_minor,
        flat_currency: row.flat_currency,
        recurring_months: row.recurring_months,
        created_at: row.rule_created_at,
      }

const refundOf = (row: PathRow): CommissionDetail['refund'] =>
  row.refund_external_id === null || row.sale_id === null
    ? null
    : {
        external_id: row.refund_external_id,
        amount_minor: row.refund_amount_minor,
        currency: row.sale_currency,
        occurred_at: row.refund_occurred_at,
      }

/** The timeline of a commission: sale, rule, exchange rate, hold, payout and clawbacks. */
export async function showPath(db: Db, accountId: number, id: number): Promise<CommissionDetail> {
  const row = await findPath(db, accountId, id)
  if (!row) throw notFound('commission')
  return {
    ...presentCommission(row),
    affiliate_name: row.affiliate_name,
    affiliate_email: row.affiliate_email,
    campaign_name: row.campaign_name,
    customer_ref: row.customer_ref,
    is_test: row.is_test,
    payout_id: row.payout_id,
    sale: saleOf(row),
    rule: ruleOf(row),
    fx: row.fx_rate === null ? null : { rate: row.fx_rate, source: row.fx_source },
    referral:
      row.referral_id === null || row.referral_status === null
        ? null
        : { id: row.referral_id, status: row.referral_status, flags: row.flags },
    clawback_of: row.clawback_of,
    refund: refundOf(row),
    voided_at: row.voided_at,
    voided_by_refund: row.status === 'void' ? await findVoidingRefund(db, accountId, row) : null,
    payouts: await listPayoutsOf(db, accountId, row),
    clawbacks: await listClawbacks(db, accountId, id),
    credits: (await creditsOfCommission(db, accountId, id)).map(presentCredit),
  }
}
