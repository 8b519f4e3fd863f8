import type { Tx } from '../../db/database.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import { endPortalAccess } from '../portal-access/end-portal-access.ts'
import { presentAffiliate } from './affiliate.presenter.ts'
import { findAffiliate, moveAffiliateStatus, noteLookBack } from './affiliate.store.ts'
import type { Rejection } from './affiliate.ts'

/**
 * Approves an affiliate and publishes the event. Conversions reported while it was pending are credited in the background. A
 * merchant can change between approved and rejected at any time; approving an approved affiliate changes and publishes nothing.
 * A quiet approval sends no email.
 */
export async function approveAffiliate(
  tx: Tx,
  accountId: number,
  id: number,
  { isQuiet = false } = {},
): Promise<void> {
  if (!(await moveAffiliateStatus(tx, accountId, id, 'approved'))) return
  noteLookBack(tx, accountId, id)
  const affiliate = await findAffiliate(tx, accountId, id)
  if (!affiliate) throw new Error(`Affiliate ${id} vanished inside the transaction that approved it.`)
  recordEvent(tx, accountId, 'promoter.approved', presentAffiliate(affiliate))
  if (!isQuiet) await recordNotices(tx, accountId, [{ kind: 'approved', affiliateId: id, details: {} }])
}

/** Rejects an affiliate, without an event. A reason that is shared is in the email to them, as they can't sign in any more. All sessions end, so an affiliate who is approved again has to sign in again. */
export async function rejectAffiliate(
  tx: Tx,
  accountId: number,
  id: number,
  rejection?: Rejection,
): Promise<void> {
  if (!(await moveAffiliateStatus(tx, accountId, id, 'rejected', rejection))) return
  await endPortalAccess(tx, accountId, id)
  const details = rejection?.isShared ? { reason: rejection.reason } : {}
  await recordNotices(tx, accountId, [{ kind: 'rejected', affiliateId: id, details }])
}
