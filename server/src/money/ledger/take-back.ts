import { divideHalfEven } from '../../kit/money.ts'
import type { NewEntry, SaleEntry } from './entry.ts'

/** The share of a sale to claw back: `part` of `whole`. A rejected referral claws back all of it. */
export interface Share {
  part: bigint
  whole: bigint
}

export const everything: Share = { part: 1n, whole: 1n }

export type TakeBack = { kind: 'nothing' } | { kind: 'void' } | { kind: 'clawback'; entry: NewEntry }

/**
 * A pending entry is voided, with its pending clawbacks, if its referral is rejected or a single refund covers the whole sale. In every
 * other case a negative entry nets against it.
 */
function isVoidedBy(entry: SaleEntry, share: Share): boolean {
  if (entry.status !== 'pending' || share.part < share.whole) return false
  return share === everything || entry.clawed_minor + entry.forgiven_minor === 0
}

/**
 * What has been clawed back already. A clawback that a user voided waives that part of the refunds, and no later refund claws it back
 * again; but a rejected referral earns nothing at all, so there it does not count.
 */
function takenSoFar(entry: SaleEntry, share: Share): { amount: bigint; payout: bigint } {
  const countsForgiven = share !== everything
  return {
    amount: BigInt(entry.clawed_minor) + (countsForgiven ? BigInt(entry.forgiven_minor) : 0n),
    payout: BigInt(entry.clawed_payout_minor) + (countsForgiven ? BigInt(entry.forgiven_payout_minor) : 0n),
  }
}

/**
 * How to change an entry after refunds of this share of its sale in total. The clawback is rounded on the total and not on each refund, so
 * that many small refunds claw back exactly what one large one would, and never more than the entry.
 */
export function takeBack(
  entry: SaleEntry,
  share: Share,
  reason: { refundId: number | null; description: string },
): TakeBack {
  if (entry.status === 'void') return { kind: 'nothing' }
  if (isVoidedBy(entry, share)) return { kind: 'void' }
  const whole = BigInt(entry.amount_minor)
  const target = divideHalfEven(whole * share.part, share.whole)
  const taken = takenSoFar(entry, share)
  const amount = target - taken.amount
  if (amount <= 0n) return { kind: 'nothing' }
  // Derived from the amount, not the share: if one unit is worth many in the payout currency, both reach zero together.
  const payoutAmount = divideHalfEven(BigInt(entry.payout_amount_minor) * target, whole) - taken.payout
  return {
    kind: 'clawback',
    entry: {
      campaign_id: entry.campaign_id,
      affiliate_id: entry.affiliate_id,
      referral_id: entry.referral_id,
      entry_type: 'clawback',
      beneficiary: entry.beneficiary,
      amount_minor: -amount,
      currency: entry.currency,
      payout_amount_minor: -payoutAmount,
      payout_currency: entry.payout_currency,
      // Has the status of the entry it nets against, so that a balance never counts one without the other.
      status: entry.status === 'pending' ? 'pending' : 'approved',
      hold_until: entry.status === 'pending' ? entry.hold_until : null,
      description: reason.description,
      sale_id: entry.sale_id,
      clawback_of: entry.id,
      refund_id: reason.refundId,
      fx_rate: entry.fx_rate,
      fx_source: entry.fx_source,
    },
  }
}
