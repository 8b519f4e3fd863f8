import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { findPortal, type PortalRow } from './portal.store.ts'

export async function portalOfAccount(db: Db, accountId: number): Promise<PortalRow> {
  const portal = await findPortal(db, accountId)
  if (!portal) throw notFound('account')
  return portal
}
