import type { PortalCommission } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { shortDate } from '../../ui/format.ts'
import { relativeDay } from '../shared/relative-day.ts'

const texts = pages.commissions

/** Why a commission was taken back or is still pending, or what it was for. */
export function commissionNote(
  commission: Pick<
    PortalCommission,
    'in_review' | 'is_reassigned' | 'status' | 'hold_until' | 'description' | 'entry_type'
  >,
  zone: string,
): string | null {
  if (commission.is_reassigned) return texts.reassigned
  if (commission.in_review) return texts.inReview
  if (commission.status === 'pending' && commission.hold_until)
    return texts.onHold(shortDate(commission.hold_until, zone), relativeDay(commission.hold_until, zone))
  return commission.description ?? (commission.entry_type === 'clawback' ? texts.clawback : null)
}
