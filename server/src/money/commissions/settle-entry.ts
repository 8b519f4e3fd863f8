import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { findUnbalanced } from '../ledger/entries.ts'
import { settlePendingEntry } from '../ledger/move-status.ts'
import { writeEntry } from './write-entry.ts'

/**
 * Approves or voids a pending entry with its pending clawbacks; returns the ids that changed. If a clawback was approved separately
 * before, voiding its entry would leave a debt: an adjustment balances it, in the name of the refund that voids the entry.
 */
export async function settleEntry(
  tx: Tx,
  accountId: number,
  id: number,
  status: 'approved' | 'void',
  refundId: number | null = null,
): Promise<{ moved: number[]; adjustment: Commission | undefined }> {
  const moved = await settlePendingEntry(tx, accountId, id, status)
  const isVoided = moved.length > 0 && status === 'void'
  return { moved, adjustment: isVoided ? await balanceVoidEntry(tx, accountId, id, refundId) : undefined }
}

/**
 * Reverses the active clawbacks of a void entry. Idempotent, because it balances their current sum. The caller holds the entry's lock.
 */
export async function balanceVoidEntry(
  tx: Tx,
  accountId: number,
  id: number,
  refundId: number | null = null,
): Promise<Commission | undefined> {
  const entry = await findUnbalanced(tx, accountId, id)
  if (!entry) return undefined
  return writeEntry(tx, accountId, {
    campaign_id: entry.campaign_id,
    affiliate_id: entry.affiliate_id,
    referral_id: entry.referral_id,
    entry_type: 'adjustment',
    beneficiary: entry.beneficiary,
    amount_minor: -BigInt(entry.left_minor),
    currency: entry.currency,
    payout_amount_minor: -BigInt(entry.left_payout_minor),
    payout_currency: entry.payout_currency,
    status: 'approved',
    hold_until: null,
    description: `Reverses the clawback of voided commission ${id}`,
    sale_id: entry.sale_id,
    clawback_of: id,
    refund_id: refundId,
    fx_rate: entry.fx_rate,
    fx_source: entry.fx_source,
  })
}
