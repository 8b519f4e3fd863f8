import { notFound } from '../kit/domain-error.ts'
import type { Handler } from '../kit/endpoint.ts'
import { pageOf } from '../kit/page.ts'
import { presentCampaign } from './campaign.presenter.ts'
import { findCampaign, listCampaigns } from './campaign.store.ts'

export const list: Handler<'listCampaigns'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listCampaigns(db, accountId, query), query.limit, presentCampaign),
})

export const get: Handler<'getCampaign'> = async ({ db, accountId, id }) => {
  const campaign = await findCampaign(db, accountId, id)
  if (!campaign) throw notFound('campaign')
  return { status: 200, body: presentCampaign(campaign) }
}
