import type { Tx } from '../../db/database.ts'
import { deleteOpenLinksOf, deletePortalSessionsOf } from './portal-session.store.ts'

/**
 * Signs an affiliate out everywhere and voids open sign-in links: after a change of email, access to the old inbox must not grant
 * access to the portal. The caller holds the affiliate's row lock, which signing in takes too.
 */
export async function endPortalAccess(tx: Tx, accountId: number, affiliateId: number): Promise<void> {
  await deleteOpenLinksOf(tx, accountId, affiliateId)
  await deletePortalSessionsOf(tx, accountId, affiliateId)
}
