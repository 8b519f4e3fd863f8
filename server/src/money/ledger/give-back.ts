import { divideHalfEven } from '../../kit/money.ts'
import type { NewEntry, SaleEntry } from './entry.ts'
import { type Share, sourceOf } from './take-back.ts'

/** What refunds took from an entry, as positive amounts: not what a rejection or a person took. */
export interface TakenByRefunds {
  amount_minor: number
  payout_amount_minor: number
  /** What a person waived of refunds that are in force. */
  forgiven_minor: number
  forgiven_payout_minor: number
  /** Whether the refund that voided the entry was reversed. */
  is_void_reversed: boolean
  /** Whether a person has voided the entry after its approval, which clawed back what was left of it. */
  is_voided_by_person: boolean
  /** Whether the hold of the entry has not passed yet, by the database's clock. */
  is_on_hold: boolean
}

/**
 * The adjustment that gives back what a refund took from an entry, after the remaining refunds cover this share of the sale. Like a
 * clawback, it belongs to its entry; but a void entry stays void, and what it is worth again stands beside it, on hold as long as the entry
 * would have been. Undefined for nothing.
 */
export function giveBack(
  entry: SaleEntry,
  share: Share,
  taken: TakenByRefunds,
  description: string,
): NewEntry | undefined {
  const whole = BigInt(entry.amount_minor)
  const target = divideHalfEven(whole * share.part, share.whole)
  const targetPayout = divideHalfEven(BigInt(entry.payout_amount_minor) * target, whole)
  const isVoid = entry.status === 'void'
  if (taken.is_voided_by_person || (isVoid && !taken.is_void_reversed)) return undefined
  // What is waived covers its part of the remaining refunds, but was never taken, so it can't be given back.
  const uncovered = target - BigInt(taken.forgiven_minor)
  const isAll = uncovered <= 0n
  const amount = isVoid
    ? whole - target - BigInt(entry.reinstated_minor) - BigInt(entry.waived_minor)
    : BigInt(taken.amount_minor) - (isAll ? 0n : uncovered)
  if (amount <= 0n) return undefined
  const payoutAmount = isVoid
    ? BigInt(entry.payout_amount_minor) -
      targetPayout -
      BigInt(entry.reinstated_payout_minor) -
      BigInt(entry.waived_payout_minor)
    : BigInt(taken.payout_amount_minor) - (isAll ? 0n : targetPayout - BigInt(taken.forgiven_payout_minor))
  const isPending = isVoid ? taken.is_on_hold : entry.status === 'pending'
  return {
    ...sourceOf(entry),
    entry_type: 'adjustment',
    amount_minor: amount,
    payout_amount_minor: payoutAmount,
    status: isPending ? 'pending' : 'approved',
    hold_until: isPending ? entry.hold_until : null,
    description,
    clawback_of: isVoid ? null : entry.id,
  }
}
