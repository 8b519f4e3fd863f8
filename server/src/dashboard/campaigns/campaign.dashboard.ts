import type { CampaignSummary, DashboardQuery } from '@tributary/contract/dashboard'
import { asking } from '../../insight/asking.store.ts'
import { listedScope, listedSums, periodOf } from '../../insight/listed-performance.ts'
import { notFound } from '../../kit/domain-error.ts'
import { listFile } from '../../kit/list-file.ts'
import { formatMinor } from '../../kit/money.ts'
import { pageAfter } from '../../kit/page.ts'
import { slugFrom } from '../../kit/slug.ts'
import {
  findCampaignSummary,
  listCampaignSummaries,
  listCampaignsInOrder,
  listRuleVersions,
} from '../../programme/campaigns/campaign-list.store.ts'
import { createCampaign } from '../../programme/campaigns/create-campaign.ts'
import { type RewardsAsked, rewardsOf } from '../../programme/campaigns/rewards.ts'
import { setCampaignStatus } from '../../programme/campaigns/set-campaign-status.ts'
import { updateCampaign } from '../../programme/campaigns/update-campaign.ts'
import { withJoinLinks } from '../../programme/portal-settings/join-link.ts'
import type { DashboardCall, DashboardHandlers } from '../call.ts'
import { performanceCells, performanceColumns } from '../performance-columns.ts'
import { rankCampaigns } from './ranked-campaigns.store.ts'

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

const withMinimum = (row: CampaignSummary) => ({
  ...row,
  minimum_payout: formatMinor(row.minimum_payout_minor, row.payout_currency),
})

const fileColumns = [
  'id',
  'created_at',
  'name',
  'slug',
  'status',
  'program_type',
  'visibility',
  'rules',
  'hold_days',
  'attribution_model',
  'attribution_window_days',
  'minimum_payout',
  'payout_currency',
  'review_referrals',
  'look_back',
  'forbids_paid_search',
  'open_enrollment',
  'destination_url',
  'enrolled',
  'has_more_enrolled',
] as const satisfies (keyof ReturnType<typeof withMinimum>)[]

type Reader = Pick<DashboardCall<'listCampaigns'>, 'db' | 'secrets' | 'baseUrl' | 'accountId'>

async function pageOf(call: Reader, query: DashboardQuery<'listCampaigns'>) {
  const { db, accountId } = call
  const scope = await listedScope(db, accountId, query)
  const { sort } = query
  const ranked = scope && sort && (await asking(db, tx => rankCampaigns(tx, scope, sort, query)))
  const rows = ranked
    ? await listCampaignsInOrder(
        db,
        accountId,
        ranked.map(({ id }) => id),
      )
    : await listCampaignSummaries(db, accountId, query)
  const { data, next } = pageAfter(rows, query.limit)
  const linked = await withJoinLinks(call, accountId, data)
  const ids = data.map(({ id }) => id)
  const sums = scope && (await asking(db, tx => listedSums(tx, scope, 'campaign', ids)))
  return {
    data: linked.map(row => ({ ...row, performance: sums?.of(row.id) ?? null })),
    next,
    period: periodOf(scope, ranked?.[0]?.currency),
  }
}

export const campaignDashboard: DashboardHandlers<
  | 'listCampaigns'
  | 'exportCampaigns'
  | 'getCampaign'
  | 'createCampaign'
  | 'updateCampaign'
  | 'setCampaignStatus'
> = {
  listCampaigns: call => pageOf(call, call.query),

  exportCampaigns: async call => {
    const scope = await listedScope(call.db, call.accountId, call.query)
    const sums = scope && (await listedSums(call.db, scope, 'campaign'))
    const figures = sums ? performanceColumns(sums) : []
    return listFile<Record<string, unknown>>('campaigns.csv', [...fileColumns, ...figures], async page => {
      const { data, next } = await pageOf(call, { ...call.query, ...page })
      const cells = (id: number) => (sums ? performanceCells(sums.of(id), sums) : [])
      const withFigures = (row: CampaignSummary) => ({
        ...withMinimum(row),
        ...Object.fromEntries(cells(row.id).map((cell, index) => [figures[index], cell])),
      })
      return { data: data.map(withFigures), next }
    })
  },

  getCampaign: async call => {
    const { db, accountId, id } = call
    const found = await findCampaignSummary(db, accountId, id)
    const [campaign] = await withJoinLinks(call, accountId, found ? [found] : [])
    if (!campaign) throw notFound('campaign')
    return { ...campaign, rule_versions: await listRuleVersions(db, accountId, id) }
  },

  createCampaign: async ({ db, accountId, body }) => {
    const {
      rewards,
      review_referrals: reviewsReferrals,
      look_back: looksBack,
      forbids_paid_search: forbidsPaidSearch = false,
      slug,
      ...campaign
    } = body
    const { id } = await createCampaign(
      db,
      accountId,
      { ...campaign, slug: slug ?? slugFrom(campaign.name, 'campaign') },
      {
        rewards: rewardsOf(campaign.program_type, asked(rewards)),
        reviewsReferrals,
        looksBack,
        forbidsPaidSearch,
      },
    )
    return { id }
  },

  updateCampaign: async ({ db, accountId, id, body: { rewards, ...changes } }) => {
    await updateCampaign(db, accountId, id, changes, rewards && asked(rewards))
    return { id }
  },

  setCampaignStatus: async ({ db, accountId, id, body, note }) => {
    note(await setCampaignStatus(db, accountId, id, body.status))
    return { id }
  },
}
