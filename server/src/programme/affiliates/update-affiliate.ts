import type { Affiliate, UpdateAffiliate } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { emailKey } from '../../kit/email.ts'
import { endPortalAccess } from '../portal-access/end-portal-access.ts'
import { presentAffiliate } from './affiliate.presenter.ts'
import { findAffiliate, lockAffiliate, updateAffiliateDetails } from './affiliate.store.ts'
import { foldTags, type Rejection } from './affiliate.ts'
import { notifyOldAddresses } from './old-addresses.ts'
import { approveAffiliate, rejectAffiliate } from './review-affiliate.ts'
import { refuseAlias, refuseTakenValue } from './taken-value.ts'
import { keepAsAlias } from './token-alias.store.ts'

/**
 * Updates the given fields, all or nothing. A status is handled by the approve and reject use cases; with `from`, only if no one else has
 * decided differently since.
 */
export function updateAffiliate(
  db: Db,
  accountId: number,
  id: number,
  request: UpdateAffiliate,
  { rejection, from }: { rejection?: Rejection | undefined; from?: Affiliate['status'] | undefined } = {},
): Promise<Affiliate> {
  const { status, tags, ...details } = request
  return db
    .transaction(async tx => {
      const before = await lockAffiliate(tx, accountId, id)
      if (!before) throw notFound('affiliate')
      if (from !== undefined && before.status !== from && before.status !== status)
        throw invalidState(
          `The affiliate's status has changed from ${from} to ${before.status}. Review it again.`,
        )
      await updateAffiliateDetails(tx, accountId, id, { ...details, ...(tags && { tags: foldTags(tags) }) })
      if (details.token !== undefined && details.token !== before.token) {
        await keepAsAlias(tx, accountId, id, { from: before.token, to: details.token })
        await refuseAlias(tx, accountId, details.token)
      }
      await notifyOldAddresses(tx, accountId, id, before, details)
      if (details.email !== undefined && emailKey(details.email) !== emailKey(before.email))
        await endPortalAccess(tx, accountId, id)
      if (status === 'approved') await approveAffiliate(tx, accountId, id)
      if (status === 'rejected') await rejectAffiliate(tx, accountId, id, rejection)
      const affiliate = await findAffiliate(tx, accountId, id)
      if (!affiliate) throw new Error(`Affiliate ${id} vanished while it was locked.`)
      return presentAffiliate(affiliate)
    })
    .catch(refuseTakenValue)
}
