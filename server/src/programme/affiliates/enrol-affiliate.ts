import type { Affiliate, CreateAffiliate } from '@tributary/contract'
import type { Db, TransactionOptions } from '../../db/database.ts'
import { brokenReference } from '../../db/failures.ts'
import { invalid } from '../../kit/domain-error.ts'
import { emailKey } from '../../kit/email.ts'
import { newAffiliateToken } from '../../kit/tokens.ts'
import { presentAffiliate } from './affiliate.presenter.ts'
import { enrol, findAffiliate, findAffiliateByEmail, insertAffiliate } from './affiliate.store.ts'
import { foldTags } from './affiliate.ts'
import { refuseAlias, refuseTakenValue } from './taken-value.ts'

/** Enrolments of different people may share a commit. */
export const enrolmentGroup = (accountId: number, email: string): TransactionOptions => ({
  groupCommit: { kind: 'enrolments', accountId, key: `${accountId} ${emailKey(email)}` },
})

/** Creates an affiliate and enrols it in a campaign. An existing affiliate with this email is only enrolled. Idempotent. */
export function enrolAffiliate(
  db: Db,
  accountId: number,
  request: CreateAffiliate,
): Promise<{ created: boolean; enrolled: boolean; affiliate: Affiliate }> {
  return db
    .transaction(async tx => {
      for (;;) {
        const added = await insertAffiliate(tx, accountId, request.campaign_id, {
          email: request.email,
          name: request.name ?? null,
          kind: request.kind ?? 'affiliate',
          token: request.token ?? newAffiliateToken(),
          coupon_code: request.coupon_code ?? null,
          paypal_email: request.paypal_email ?? null,
          tags: foldTags(request.tags ?? []),
        })
        if (added && request.token !== undefined) await refuseAlias(tx, accountId, request.token)
        if (added) return { created: true, enrolled: true, affiliate: presentAffiliate(added) }
        const known = await findAffiliateByEmail(tx, accountId, request.email)
        // Its email was changed between the two statements, so it is available now.
        if (!known) continue
        const enrolled = await enrol(tx, accountId, known.id, request.campaign_id)
        const affiliate = await findAffiliate(tx, accountId, known.id)
        if (!affiliate) throw new Error(`Affiliate ${known.id} vanished inside its own transaction.`)
        return { created: false, enrolled, affiliate: presentAffiliate(affiliate) }
      }
    })
    .catch(refuseUnknownCampaign)
    .catch(refuseTakenValue)
}

/** Relies on the foreign key of enrolments instead of a separate query. */
function refuseUnknownCampaign(error: unknown): never {
  throw brokenReference(error) === 'enrolments_account_id_campaign_id_fkey'
    ? invalid('campaign_id', 'does not match a campaign in this account')
    : error
}
