import type { CommissionDetail } from '@tributary/contract/dashboard'
import { texts } from './en.ts'

/** When a commission that is in no payout gets paid. */
export function nextPayoutText({
  is_test,
  entry_type,
  beneficiary,
  status,
  payout_amount_minor,
  credits,
}: Pick<CommissionDetail, 'is_test' | 'entry_type' | 'beneficiary' | 'status' | 'payout_amount_minor'> & {
  credits: readonly unknown[]
}): string {
  if (is_test) return texts.nextPayout.test
  if (credits.length > 0) return texts.nextPayout.granted
  if (entry_type === 'credit' || beneficiary === 'referee') return texts.nextPayout.credit
  if (status === 'pending') return texts.nextPayout.pending
  return payout_amount_minor < 0 ? texts.nextPayout.negative : texts.nextPayout.payable
}
