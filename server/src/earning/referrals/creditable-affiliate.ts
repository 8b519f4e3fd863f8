import type { Tx } from '../../db/database.ts'
import { invalid, invalidState } from '../../kit/domain-error.ts'
import { heldStatuses } from '../../programme/affiliates/affiliate-status.ts'
import { findNamedById, type NamedAffiliateRow } from '../../programme/affiliates/named-affiliate.store.ts'

/** The affiliate that a person wants to credit: approved and enrolled, as for any conversion. Share-locked, so that a rejection waits. */
export async function creditableAffiliate(
  tx: Tx,
  accountId: number,
  campaignId: number,
  id: number,
): Promise<NamedAffiliateRow> {
  const [held, affiliate] = await tx.inOrder(
    () => heldStatuses(tx, accountId, [id]),
    () => findNamedById(tx, accountId, campaignId, id),
  )
  const status = held.get(id)
  if (!affiliate || !status) throw invalid('affiliate_id', 'does not match an affiliate in this account')
  if (status !== 'approved')
    throw invalidState(
      `The affiliate is ${status}; only approved affiliates are credited. Approve them first.`,
    )
  if (!affiliate.is_enrolled)
    throw invalidState('The affiliate is not enrolled in this campaign. Enrol them first.')
  return affiliate
}
