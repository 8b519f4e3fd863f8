import type { Campaign } from '@tributary/contract'

export type CampaignRow = Campaign

/** What a sale earns: a share of it, or a fixed amount. */
export type CommissionRule =
  | { kind: 'percent'; rateBasisPoints: number }
  | { kind: 'flat'; amountMinor: number; currency: string }

export type NewCampaign = Omit<Campaign, 'id' | 'created_at'>
