import { divideHalfEven } from '../../kit/money.ts'
import type { NewEntry, SaleEntry } from './entry.ts'

/** The share of a sale to claw back: `part` of `whole`. A rejected referral claws back all of it. */
export interface Share {
  part: bigint
  whole: bigint
}

export const everything: Share = { part: 1n, whole: 1n }

/** Why it's taken back: `refundId` is null if no refund or several refunds do. */
interface Reason {
  refundId: number | null
  description: string
}

export type TakeBack =
  | { kind: 'nothing' }
  | { kind: 'void' }
  | { kind: 'clawback'; entry: NewEntry }
  /** Voids what was given back and is on hold; the entry is what remains of it. */
  | { kind: 'void given back'; ids: number[]; entry: NewEntry | undefined }

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
 * What is left of an entry that was voided and then given back is taken by an adjustment: a void entry has no clawbacks. What is on hold
 * is voided instead, and the rest of it given back anew: so nothing is taken from other earnings before that is payable.
 */
function takeReinstated(entry: SaleEntry, share: Share, { refundId, description }: Reason): TakeBack {
  const [whole, reinstated] = [BigInt(entry.amount_minor), BigInt(entry.reinstated_minor)]
  const kept = whole - divideHalfEven(whole * share.part, share.whole)
  if (reinstated <= 0n || reinstated <= kept) return { kind: 'nothing' }
  const onHold = entry.reinstated_on_hold
  const released = onHold.reduce((rest, each) => rest - BigInt(each.amount_minor), reinstated)
  const releasedPayout = onHold.reduce(
    (rest, each) => rest - BigInt(each.payout_amount_minor),
    BigInt(entry.reinstated_payout_minor),
  )
  const isGiven = kept > released
  const adjustment: NewEntry = {
    ...sourceOf(entry),
    entry_type: 'adjustment',
    amount_minor: kept - released,
    payout_amount_minor: divideHalfEven(BigInt(entry.payout_amount_minor) * kept, whole) - releasedPayout,
    status: isGiven ? 'pending' : 'approved',
    hold_until: isGiven ? entry.hold_until : null,
    description,
    refund_id: refundId,
  }
  if (onHold.length === 0) return { kind: 'clawback', entry: adjustment }
  return {
    kind: 'void given back',
    ids: onHold.map(({ id }) => id),
    entry: kept === released ? undefined : adjustment,
  }
}

/** What a correction of an entry copies from it. */
export const sourceOf = (entry: SaleEntry) => ({
  campaign_id: entry.campaign_id,
  affiliate_id: entry.affiliate_id,
  referral_id: entry.referral_id,
  beneficiary: entry.beneficiary,
  currency: entry.currency,
  payout_currency: entry.payout_currency,
  sale_id: entry.sale_id,
  fx_rate: entry.fx_rate,
  fx_source: entry.fx_source,
})

/**
 * How to change an entry after refunds of this share of its sale in total. The clawback is rounded on the total and not on each refund, so
 * that many small refunds claw back exactly what one large one would, and never more than the entry.
 */
export function takeBack(entry: SaleEntry, share: Share, reason: Reason): TakeBack {
  if (entry.status === 'void') return takeReinstated(entry, share, reason)
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
      ...sourceOf(entry),
      entry_type: 'clawback',
      amount_minor: -amount,
      payout_amount_minor: -payoutAmount,
      // Has the status of the entry it nets against, so that a balance never counts one without the other.
      status: entry.status === 'pending' ? 'pending' : 'approved',
      hold_until: entry.status === 'pending' ? entry.hold_until : null,
      description: reason.description,
      clawback_of: entry.id,
      refund_id: reason.refundId,
    },
  }
}
