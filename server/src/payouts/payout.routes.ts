import { notFound } from '../kit/domain-error.ts'
import type { Handler } from '../kit/endpoint.ts'
import { pageOf } from '../kit/page.ts'
import { presentPayout } from './payout.presenter.ts'
import { findPayout, listPayouts } from './payout.store.ts'

export const list: Handler<'listPayouts'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listPayouts(db, accountId, query), query.limit, presentPayout),
})

export const get: Handler<'getPayout'> = async ({ db, accountId, id }) => {
  const payout = await findPayout(db, accountId, id)
  if (!payout) throw notFound('payout')
  return { status: 200, body: presentPayout(payout) }
}
