import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { notFound } from '../kit/domain-error.ts'
import { pageAfter } from '../kit/page.ts'
import { slugFrom } from '../kit/slug.ts'
import { findCampaignSummary, listCampaignSummaries, listRuleVersions } from './campaign-list.store.ts'
import { createCampaign } from './create-campaign.ts'
import { type RewardsAsked, rewardsOf } from './rewards.ts'
import { updateCampaign } from './update-campaign.ts'

interface RewardsBody {
  commission: string
  recurring_months: number | null
  referee_reward?: string | null
  credit?: boolean
}

const asked = (body: RewardsBody): RewardsAsked => ({
  commission: body.commission,
  recurringMonths: body.recurring_months,
  refereeReward: body.referee_reward,
  credit: body.credit,
})

export const campaignDashboard: DashboardHandlers<
  'listCampaigns' | 'getCampaign' | 'createCampaign' | 'updateCampaign'
> = {
  listCampaigns: async ({ db, accountId, query }) =>
    pageAfter(await listCampaignSummaries(db, accountId, query), query.limit),

  getCampaign: async ({ db, accountId, id }) => {
    const campaign = await findCampaignSummary(db, accountId, id)
    if (!campaign) throw notFound('campaign')
    return { ...campaign, rule_versions: await listRuleVersions(db, accountId, id) }
  },

  createCampaign: async ({ db, accountId, body }) => {
    const { rewards, review_referrals: reviewsReferrals, slug, ...campaign } = body
    const { id } = await createCampaign(
      db,
      accountId,
      { ...campaign, slug: slug ?? slugFrom(campaign.name, 'campaign') },
      { rewards: rewardsOf(campaign.program_type, asked(rewards)), reviewsReferrals },
    )
    return { id }
  },

  updateCampaign: async ({ db, accountId, id, body: { rewards, ...changes } }) => {
    await updateCampaign(db, accountId, id, changes, rewards && asked(rewards))
    return { id }
  },
}
