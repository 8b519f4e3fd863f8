import { notFound } from '../kit/domain-error.ts'
import type { Handler } from '../kit/endpoint.ts'
import { pageOf } from '../kit/page.ts'
import { presentReferral } from './referral.presenter.ts'
import { findReferral, listReferrals } from './referral.store.ts'

export const list: Handler<'listReferrals'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listReferrals(db, accountId, query), query.limit, presentReferral),
})

export const get: Handler<'getReferral'> = async ({ db, accountId, id }) => {
  const referral = await findReferral(db, accountId, id)
  if (!referral) throw notFound('referral')
  return { status: 200, body: presentReferral(referral) }
}
