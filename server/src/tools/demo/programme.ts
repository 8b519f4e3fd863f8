import type { Reward } from '../../programme/campaigns/campaign.ts'
import { createCampaign } from '../../programme/campaigns/create-campaign.ts'
import type { CampaignName } from './campaign-name.ts'
import { byPerson, type Story } from './story.ts'

const percent = (rateBasisPoints: number, recurringMonths: number | null): Reward => ({
  beneficiary: 'affiliate',
  entryType: 'earned',
  rule: { kind: 'percent', rateBasisPoints },
  recurringMonths,
})

const flat = (
  beneficiary: 'referrer' | 'referee',
  entryType: Reward['entryType'],
  amountMinor: number,
): Reward => ({
  beneficiary,
  entryType,
  rule: { kind: 'flat', amountMinor, currency: 'USD' },
  recurringMonths: 0,
})

const alike = {
  attribution_model: 'last_click' as const,
  attribution_window_days: 60,
  hold_days: 30,
  destination_url: 'https://meridian.example/',
}

/** An open affiliate programme, a better one for agencies, and a two-sided referral programme for customers. */
const campaigns = {
  affiliates: {
    campaign: {
      ...alike,
      name: 'Affiliate programme',
      slug: 'affiliates',
      program_type: 'affiliate',
      visibility: 'public',
      payout_currency: 'USD',
      minimum_payout_minor: 5000,
      open_enrollment: true,
    },
    rewards: [percent(2000, 12)],
  },
  agencies: {
    campaign: {
      ...alike,
      name: 'Agency partners',
      slug: 'agency-partners',
      program_type: 'affiliate',
      visibility: 'private',
      payout_currency: 'EUR',
      attribution_model: 'first_click',
      attribution_window_days: 90,
      minimum_payout_minor: 10_000,
      open_enrollment: false,
      destination_url: 'https://meridian.example/partners',
    },
    rewards: [percent(3000, null)],
  },
  friends: {
    campaign: {
      ...alike,
      name: 'Refer a friend',
      slug: 'refer-a-friend',
      program_type: 'referral',
      visibility: 'public',
      payout_currency: 'USD',
      hold_days: 14,
      minimum_payout_minor: 2000,
      open_enrollment: true,
      destination_url: 'https://meridian.example/welcome',
    },
    rewards: [flat('referrer', 'earned', 2500), flat('referee', 'credit', 1000)],
  },
} as const satisfies Record<
  CampaignName,
  { campaign: Parameters<typeof createCampaign>[2]; rewards: Reward[] }
>

/** Creates the three campaigns and records their ids. */
export async function openCampaigns(story: Story): Promise<void> {
  const at = story.calendar.at(0, 0)
  for (const name of Object.keys(campaigns) as CampaignName[]) {
    const { campaign, rewards } = campaigns[name]
    const change = { action: 'campaign.create', details: { name: campaign.name } }
    const { id } = await byPerson(story, 'owner', at, change, tx =>
      createCampaign(tx, story.accountId, campaign, { rewards }),
    )
    story.campaigns[name] = id
  }
}
