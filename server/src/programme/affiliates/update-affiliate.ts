import type { Affiliate, UpdateAffiliate } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { emailKey } from '../../kit/email.ts'
import { endPortalAccess } from '../portal-access/end-portal-access.ts'
import { presentAffiliate } from './affiliate.presenter.ts'
import { findAffiliate, lockAffiliate, updateAffiliateDetails } from './affiliate.store.ts'
import { foldTags } from './affiliate.ts'
import { notifyOldAddresses } from './old-addresses.ts'
import { approveAffiliate, rejectAffiliate } from './review-affiliate.ts'
import { refuseTakenValue } from './taken-value.ts'

/** Updates the given fields, all or nothing. A status is handled by the approve and reject use cases. */
export function updateAffiliate(
  db: Db,
  accountId: number,
  id: number,
  request: UpdateAffiliate,
): Promise<Affiliate> {
  const { status, tags, ...details } = request
  return db
    .transaction(async tx => {
      const before = await lockAffiliate(tx, accountId, id)
      if (!before) throw notFound('affiliate')
      await updateAffiliateDetails(tx, accountId, id, { ...details, ...(tags && { tags: foldTags(tags) }) })
      await notifyOldAddresses(tx, accountId, id, before, details)
      if (details.email !== undefined && emailKey(details.email) !== emailKey(before.email))
        await endPortalAccess(tx, accountId, id)
      if (status === 'approved') await approveAffiliate(tx, accountId, id)
      if (status === 'rejected') await rejectAffiliate(tx, accountId, id)
      const affiliate = await findAffiliate(tx, accountId, id)
      if (!affiliate) throw new Error(`Affiliate ${id} vanished while it was locked.`)
      return presentAffiliate(affiliate)
    })
    .catch(refuseTakenValue)
}
