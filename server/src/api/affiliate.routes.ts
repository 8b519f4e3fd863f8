import { notFound } from '../kit/domain-error.ts'
import { pageOf } from '../kit/page.ts'
import { presentAffiliate } from '../programme/affiliates/affiliate.presenter.ts'
import { findAffiliate, listAffiliates } from '../programme/affiliates/affiliate.store.ts'
import { enrolAffiliate } from '../programme/affiliates/enrol-affiliate.ts'
import { updateAffiliate } from '../programme/affiliates/update-affiliate.ts'
import type { Handler } from './call.ts'

export const list: Handler<'listAffiliates'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listAffiliates(db, accountId, query), query.limit, presentAffiliate),
})

export const get: Handler<'getAffiliate'> = async ({ db, accountId, id }) => {
  const affiliate = await findAffiliate(db, accountId, id)
  if (!affiliate) throw notFound('affiliate')
  return { status: 200, body: presentAffiliate(affiliate) }
}

export const create: Handler<'createAffiliate'> = async ({ db, accountId, body }) => {
  const { created, affiliate } = await enrolAffiliate(db, accountId, body)
  return { status: created ? 201 : 200, body: affiliate }
}

export const update: Handler<'updateAffiliate'> = async ({ db, accountId, id, body }) => ({
  status: 200,
  body: await updateAffiliate(db, accountId, id, body),
})
