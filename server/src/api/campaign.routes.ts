import { notFound } from '../kit/domain-error.ts'
import { pageOf } from '../kit/page.ts'
import { presentCampaign } from '../programme/campaigns/campaign.presenter.ts'
import { findCampaign, listCampaigns } from '../programme/campaigns/campaign.store.ts'
import type { Handler } from './call.ts'

export const list: Handler<'listCampaigns'> = async ({ db, accountId, query }) => ({
  status: 200,
  body: pageOf(await listCampaigns(db, accountId, query), query.limit, presentCampaign),
})

export const get: Handler<'getCampaign'> = async ({ db, accountId, id }) => {
  const campaign = await findCampaign(db, accountId, id)
  if (!campaign) throw notFound('campaign')
  return { status: 200, body: presentCampaign(campaign) }
}
