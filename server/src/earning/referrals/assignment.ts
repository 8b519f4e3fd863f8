import { createHash } from 'node:crypto'
import type { Commission } from '@tributary/contract'
import type { AssignedEntry, Assignment } from '@tributary/contract/dashboard'
import { invalid, invalidState } from '../../kit/domain-error.ts'
import type { SaleEntry } from '../../money/ledger/entry.ts'

/** What a person asks for: who is credited and why, and the digest of the effect that they were shown. */
export interface AssignmentRequest {
  affiliate_id: number
  /** Required unless it is a dry run. */
  reason?: string | undefined
  dry_run: boolean
  digest?: string | undefined
}

export function reasonFor({ reason, dry_run }: AssignmentRequest): string {
  if (reason === undefined && !dry_run) throw invalid('reason', 'is required')
  return reason ?? ''
}

export const assignedEntry = (entry: Commission, change: AssignedEntry['change']): AssignedEntry => ({
  change,
  affiliate_id: entry.affiliate_id,
  entry_type: entry.entry_type,
  beneficiary: entry.beneficiary,
  amount_minor: entry.payout_amount_minor,
  currency: entry.payout_currency,
  status: entry.status,
  hold_until: entry.hold_until,
  description: entry.description,
})

/** What is left of an entry, which is taken back: a pending one is voided, an approved one is clawed back. */
export const takenBack = (entry: SaleEntry): AssignedEntry => ({
  ...assignedEntry(entry, 'voided'),
  amount_minor: entry.clawed_payout_minor - entry.payout_amount_minor,
  status: entry.status === 'pending' ? 'void' : entry.status,
  hold_until: null,
})

/**
 * The effect with its digest. It was computed by making the change, so a caller that has seen another effect is refused here and the
 * transaction undoes it. IDs are not part of it: a dry run draws different ones.
 */
export function digested(
  request: AssignmentRequest & { campaign_id: number },
  effect: Omit<Assignment, 'digest'>,
): Assignment {
  const content = [request.affiliate_id, request.campaign_id, effect]
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  if (!request.dry_run && request.digest !== undefined && request.digest !== digest)
    throw invalidState('The effect has changed since the preview. Check the new preview and try again.')
  return { digest, ...effect }
}
