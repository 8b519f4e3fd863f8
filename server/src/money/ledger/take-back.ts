import { divideHalfEven } from '../../kit/money.ts'
import type { NewEntry, SaleEntry } from './entry.ts'

/** How much of a sale is gone: `part` of `whole`. A rejected referral takes back all of it. */
export interface Share {
  part: bigint
  whole: bigint
}

export const everything: Share = { part: 1n, whole: 1n }

export type TakeBack = { kind: 'nothing' } | { kind: 'void' } | { kind: 'clawback'; entry: NewEntry }

/**
 * A pending entry is voided when its referral is rejected, and when one refund takes the whole sale; its pending clawbacks are voided
 * along. In every other case a negative entry nets against it.
 */
function isVoidedBy(entry: SaleEntry, share: Share): boolean {
  if (entry.status !== 'pending' || share.part < share.whole) return false
  return share === everything || entry.clawed_minor + entry.forgiven_minor === 0
}

/**
 * What needs not be taken back any more. A clawback that a person voided forgave that much of the refunds, and no later refund takes it
 * again; but a rejected referral earns nothing at all, so there it does not count as taken.
 */
function takenSoFar(entry: SaleEntry, share: Share): { amount: bigint; payout: bigint } {
  const isForgiven = share !== everything
  return {
    amount: BigInt(entry.clawed_minor) + (isForgiven ? BigInt(entry.forgiven_minor) : 0n),
    payout: BigInt(entry.clawed_payout_minor) + (isForgiven ? BigInt(entry.forgiven_payout_minor) : 0n),
  }
}

/**
 * What to do with an entry now that so much of its sale is gone in total. The part to be taken back is rounded on the total and
 * not on each refund, so that many small refunds take exactly what one large one would, and never more than the entry.
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
  // From the amount and not from the share: where one unit of it is worth many in the other currency, both then end together.
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
      // It becomes due together with what it nets against, so that a balance never counts one without the other.
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
