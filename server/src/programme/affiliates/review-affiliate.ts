import type { Tx } from '../../db/database.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import { endPortalAccess } from '../portal-access/end-portal-access.ts'
import { presentAffiliate } from './affiliate.presenter.ts'
import { findAffiliate, moveAffiliateStatus, noteLookBack } from './affiliate.store.ts'

/**
 * Approves an affiliate and tells those who listen. Conversions from while it was pending are credited in the background. Approved and rejected may follow each other, since a merchant may
 * reconsider; an affiliate that is approved already is left alone, and nothing is told.
 */
export async function approveAffiliate(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await moveAffiliateStatus(tx, accountId, id, 'approved'))) return
  noteLookBack(tx, accountId, id)
  const affiliate = await findAffiliate(tx, accountId, id)
  if (!affiliate) throw new Error(`Affiliate ${id} vanished inside the transaction that approved it.`)
  recordEvent(tx, accountId, 'promoter.approved', presentAffiliate(affiliate))
  await recordNotices(tx, accountId, [{ kind: 'approved', affiliateId: id, details: {} }])
}

/** Rejects an affiliate, on the same terms; no event tells of it. Who is approved again later signs in anew. */
export async function rejectAffiliate(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await moveAffiliateStatus(tx, accountId, id, 'rejected'))) return
  await endPortalAccess(tx, accountId, id)
  await recordNotices(tx, accountId, [{ kind: 'rejected', affiliateId: id, details: {} }])
}
