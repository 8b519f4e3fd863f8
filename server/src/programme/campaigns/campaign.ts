import type { Campaign } from '@tributary/contract'

export type CampaignRow = Campaign

/** What a sale earns: a percentage or a fixed amount. */
export type CommissionRule =
  | { kind: 'percent'; rateBasisPoints: number }
  | { kind: 'flat'; amountMinor: number; currency: string }

/** A rule: who is rewarded, with what, and for how long. */
export interface Reward {
  beneficiary: 'affiliate' | 'referrer' | 'referee'
  entryType: 'earned' | 'credit'
  rule: CommissionRule
  /** How many months after the first sale later sales earn too. 0 is the first sale only, null is unlimited. */
  recurringMonths: number | null
}

export type NewCampaign = Omit<Campaign, 'id' | 'created_at'>

/** The fields of a campaign that can change, apart from its rules. */
export type CampaignDetails = Omit<NewCampaign, 'slug' | 'program_type' | 'payout_currency'> & {
  review_referrals: boolean
  look_back: boolean
  forbids_paid_search: boolean
}

/** What a new campaign is created with beside its public fields. */
export interface CampaignOptions {
  reviewsReferrals: boolean
  looksBack: boolean
  /** Whether its terms forbid ads in search engines. */
  forbidsPaidSearch: boolean
}
