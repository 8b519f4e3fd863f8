import { notFound } from '../kit/domain-error.ts'
import { presentPayout } from '../money/payouts/payout.presenter.ts'
import { findPayout, listPayouts } from '../money/payouts/payout.store.ts'
import type { Handler } from './call.ts'

export const list: Handler<'listPayouts'> = async ({ db, accountId, query }) => {
  const { data, has_more } = await listPayouts(db, accountId, query)
  return { status: 200, body: { data: data.map(presentPayout), has_more } }
}

export const get: Handler<'getPayout'> = async ({ db, accountId, id }) => {
  const payout = await findPayout(db, accountId, id)
  if (!payout) throw notFound('payout')
  return { status: 200, body: presentPayout(payout) }
}
