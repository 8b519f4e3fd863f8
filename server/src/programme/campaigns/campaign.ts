import type { Campaign } from '@tributary/contract'

export type CampaignRow = Campaign

/** What a sale earns: a share of it, or a fixed amount. */
export type CommissionRule =
  | { kind: 'percent'; rateBasisPoints: number }
  | { kind: 'flat'; amountMinor: number; currency: string }

/** Whom a sale rewards, how, and for how long. */
export interface Reward {
  beneficiary: 'affiliate' | 'referrer' | 'referee'
  entryType: 'earned' | 'credit'
  rule: CommissionRule
  /** For how many months after the first sale later sales earn too: 0 is the first alone, null as long as the customer pays. */
  recurringMonths: number | null
}

export type NewCampaign = Omit<Campaign, 'id' | 'created_at'>

/** What may be changed about a campaign after it was opened, apart from its rules. */
export type CampaignDetails = Omit<NewCampaign, 'slug' | 'program_type' | 'payout_currency'> & {
  review_referrals: boolean
  look_back: boolean
}
