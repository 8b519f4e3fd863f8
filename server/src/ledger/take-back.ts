import { divideHalfEven } from '../kit/money.ts'
import type { NewEntry, SaleEntry } from './entry.ts'

/** How much of a sale is gone: `part` of `whole`. A rejected referral takes back all of it. */
export interface Share {
  part: bigint
  whole: bigint
}

export const everything: Share = { part: 1n, whole: 1n }

export type TakeBack = { kind: 'nothing' } | { kind: 'void' } | { kind: 'clawback'; entry: NewEntry }

/**
 * What to do with an entry now that so much of its sale is gone in total. The part to be taken back is rounded on the total and
 * not on each refund, so that many small refunds take exactly what one large one would, and never more than the entry. An
 * untouched pending entry of a sale that is wholly gone is voided; in every other case a negative entry nets against it.
 */
export function takeBack(
  entry: SaleEntry,
  share: Share,
  reason: { refundId: number | null; description: string },
): TakeBack {
  if (entry.status === 'void') return { kind: 'nothing' }
  const target = (amount: number) => divideHalfEven(BigInt(amount) * share.part, share.whole)
  const amount = target(entry.amount_minor) - BigInt(entry.clawed_minor)
  const payoutAmount = target(entry.payout_amount_minor) - BigInt(entry.clawed_payout_minor)
  if (amount <= 0n) return { kind: 'nothing' }
  if (entry.status === 'pending' && share.part >= share.whole && entry.clawed_minor === 0)
    return { kind: 'void' }
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
