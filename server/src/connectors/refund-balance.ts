import { divideHalfEven } from '../kit/money.ts'
import { minorFromDecimal } from './amounts.ts'
import type { BilledSale, KnownRefund } from './billing-facts.store.ts'
import type { RefundReport } from './reading.ts'

const sum = (refunds: KnownRefund[]) =>
  refunds.reduce((total, { amount_minor }) => total + BigInt(amount_minor ?? 0), 0n)

/** What a refund gives back of what was paid; undefined if its amount is none in the sale's currency. */
export function paidBackBy(
  { amountMinor, netMinor, amountDecimal }: RefundReport,
  sale: BilledSale,
): bigint | undefined {
  const paid = BigInt(sale.paid_minor)
  if (amountDecimal !== undefined) return minorFromDecimal(amountDecimal, sale.currency)
  if (netMinor !== undefined) return divideHalfEven(netMinor * paid, BigInt(sale.amount_minor))
  return amountMinor ?? paid
}

/**
 * How much of a sale is refunded, in the units of its amount, by all that is known. It depends on what is known and not on the order in
 * which it arrived. A total of refunds counts where it exceeds the single ones, which may still be under way or were never sent.
 */
export function refundedAmount(
  sale: Pick<BilledSale, 'amount_minor' | 'paid_minor'>,
  refunds: KnownRefund[],
): bigint {
  const of = (kind: KnownRefund['kind'], isReversed = false) =>
    sum(refunds.filter(refund => refund.kind === kind && refund.is_reversed === isReversed))
  const single = of('refund')
  const byTotal = of('total') - of('refund', true)
  const paidBack = (single > byTotal ? single : byTotal) + of('dispute') + of('credit')
  const paid = BigInt(sale.paid_minor)
  // A disputed charge may have been refunded too: no more goes back than was paid.
  const capped = paidBack > paid ? paid : paidBack < 0n ? 0n : paidBack
  return divideHalfEven(BigInt(sale.amount_minor) * capped, paid)
}
