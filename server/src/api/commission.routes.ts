import { notFound } from '../kit/domain-error.ts'
import { pageOf } from '../kit/page.ts'
import { presentCommission } from '../money/commissions/commission.presenter.ts'
import { findCommission, listCommissions } from '../money/commissions/commission.store.ts'
import { reviewCommission } from '../money/commissions/review-commission.ts'
import type { Handler } from './call.ts'

export const list: Handler<'listCommissions'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listCommissions(db, accountId, query), query.limit, presentCommission),
})

export const get: Handler<'getCommission'> = async ({ db, accountId, id }) => {
  const commission = await findCommission(db, accountId, id)
  if (!commission) throw notFound('commission')
  return { status: 200, body: presentCommission(commission) }
}

export const update: Handler<'updateCommission'> = async ({ db, accountId, id, body }) => ({
  status: 200,
  body: await reviewCommission(db, accountId, id, body.status),
})
