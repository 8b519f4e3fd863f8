import type { AffiliateDetail } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { balancesOf } from '../../money/ledger/balances.ts'
import { accountSlug } from '../../programme/accounts/account-slug.ts'
import { presentAffiliate } from '../../programme/affiliates/affiliate.presenter.ts'
import {
  areReferralsReviewed,
  findAffiliate,
  findAffiliateRejection,
} from '../../programme/affiliates/affiliate.store.ts'
import { listAliases } from '../../programme/affiliates/token-alias.store.ts'
import { listEnrolments, listEvents } from './affiliate-detail.store.ts'

/** The affiliate page: details, balances and activity. */
export async function showAffiliate(
  db: Db,
  accountId: number,
  id: number,
  baseUrl: string,
): Promise<AffiliateDetail> {
  const affiliate = await findAffiliate(db, accountId, id)
  if (!affiliate) throw notFound('affiliate')
  const slug = await accountSlug(db, accountId)
  const enrolments = await listEnrolments(db, accountId, id)
  return {
    ...presentAffiliate(affiliate),
    old_tokens: await listAliases(db, accountId, id),
    rejection: await findAffiliateRejection(db, accountId, id),
    is_held: await areReferralsReviewed(db, accountId, id),
    balances: await balancesOf(db, accountId, id),
    enrolments: enrolments.map(({ campaign_slug, destination_url, ...enrolment }) => ({
      ...enrolment,
      link: `${baseUrl}/r/${slug}/${affiliate.token}/${campaign_slug}`,
      has_destination: destination_url !== null,
    })),
    events: await listEvents(db, accountId, id),
  }
}
