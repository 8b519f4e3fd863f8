import { presentReferral } from '../earning/referrals/referral.presenter.ts'
import { findReferral, listReferrals } from '../earning/referrals/referral.store.ts'
import { notFound } from '../kit/domain-error.ts'
import { pageOf } from '../kit/page.ts'
import type { Handler } from './call.ts'

export const list: Handler<'listReferrals'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listReferrals(db, accountId, query), query.limit, presentReferral),
})

export const get: Handler<'getReferral'> = async ({ db, accountId, id }) => {
  const referral = await findReferral(db, accountId, id)
  if (!referral) throw notFound('referral')
  return { status: 200, body: presentReferral(referral) }
}
