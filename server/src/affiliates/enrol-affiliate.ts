import type { Affiliate, CreateAffiliate } from '@tributary/contract'
import { campaignExists } from '../campaigns/campaign-exists.ts'
import type { Db } from '../db/database.ts'
import { invalid } from '../kit/domain-error.ts'
import { newAffiliateToken } from '../kit/tokens.ts'
import { presentAffiliate } from './affiliate.presenter.ts'
import { enrol, findAffiliate, findAffiliateByEmail, insertAffiliate } from './affiliate.store.ts'
import { foldTags } from './affiliate.ts'
import { refuseTakenValue } from './taken-value.ts'

/**
 * Adds an affiliate to the roster and enrols it in a campaign. An email that is on the roster already is only enrolled:
 * nothing else about that affiliate changes, and doing it again does nothing.
 */
export function enrolAffiliate(
  db: Db,
  accountId: number,
  request: CreateAffiliate,
): Promise<{ created: boolean; enrolled: boolean; affiliate: Affiliate }> {
  return db
    .transaction(async tx => {
      if (!(await campaignExists(tx, accountId, request.campaign_id)))
        throw invalid('campaign_id', 'names no campaign of this account')
      const inserted = await insertAffiliate(tx, accountId, {
        email: request.email,
        name: request.name ?? null,
        kind: request.kind ?? 'affiliate',
        token: request.token ?? newAffiliateToken(),
        coupon_code: request.coupon_code ?? null,
        paypal_email: request.paypal_email ?? null,
        tags: foldTags(request.tags ?? []),
      })
      const id = inserted?.id ?? (await findAffiliateByEmail(tx, accountId, request.email))?.id
      if (id === undefined) throw new Error('An affiliate that blocked an insert was not found by its email.')
      const enrolled = await enrol(tx, accountId, id, request.campaign_id)
      const affiliate = await findAffiliate(tx, accountId, id)
      if (!affiliate) throw new Error(`Affiliate ${id} vanished inside its own transaction.`)
      return { created: inserted !== undefined, enrolled, affiliate: presentAffiliate(affiliate) }
    })
    .catch(refuseTakenValue)
}
