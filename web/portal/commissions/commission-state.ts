import type { PortalCommission } from '@tributary/contract/portal'
import type { pages } from '@tributary/contract/portal/texts'

/** Which part of the earnings on the home page a commission belongs to; one in review is pending until the company decides. */
export function commissionState({
  status,
  in_review: isInReview,
  in_payout: isInPayout,
}: Pick<PortalCommission, 'status' | 'in_review' | 'in_payout'>): keyof typeof pages.money {
  if (status !== 'approved') return status
  if (isInPayout) return 'processing'
  return isInReview ? 'pending' : 'approved'
}
