import type { CommissionDetail } from '@tributary/contract/dashboard'

/** When a commission that is in no payout is paid. */
export function waitsFor({
  is_test,
  entry_type,
  beneficiary,
  status,
  payout_amount_minor,
}: Pick<
  CommissionDetail,
  'is_test' | 'entry_type' | 'beneficiary' | 'status' | 'payout_amount_minor'
>): string {
  if (is_test) return 'Never: the referral is a test.'
  if (entry_type === 'credit' || beneficiary === 'referee')
    return 'Never: it is a reward that you grant in your own application, and no payout.'
  if (status === 'pending') return 'Once it is approved, the next payout of the campaign takes it up.'
  if (payout_amount_minor < 0)
    return 'The next payout of the campaign is that much smaller; what it cannot cover is carried forward.'
  return 'The next payout of the campaign takes it up, if the affiliate reaches the minimum.'
}
