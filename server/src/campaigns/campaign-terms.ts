import type { Campaign } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { findCampaign, findCurrentRules, findReviewsReferrals, type RuleRow } from './campaign.store.ts'
import type { CommissionRule } from './campaign.ts'

/** A rule in force: what it pays, to whom, and for how long. */
export interface RuleInForce {
  version: number
  beneficiary: RuleRow['beneficiary']
  entryType: RuleRow['entry_type']
  rule: CommissionRule
  /** For how many months after the first sale later sales earn too: 0 is the first alone, null as long as the customer pays. */
  recurringMonths: number | null
}

export interface CampaignTerms {
  campaign: Campaign
  reviewsReferrals: boolean
  rules: RuleInForce[]
}

const ruleOf = (row: RuleRow): CommissionRule =>
  row.rate_basis_points !== null
    ? { kind: 'percent', rateBasisPoints: row.rate_basis_points }
    : { kind: 'flat', amountMinor: row.flat_minor as number, currency: row.flat_currency as string }

/** Everything that a conversion or a sale asks of its campaign; undefined when there is no such campaign. */
export async function campaignTerms(
  db: Db,
  accountId: number,
  campaignId: number,
): Promise<CampaignTerms | undefined> {
  const campaign = await findCampaign(db, accountId, campaignId)
  if (!campaign) return undefined
  const rules = await findCurrentRules(db, accountId, campaignId)
  return {
    campaign,
    reviewsReferrals: await findReviewsReferrals(db, accountId, campaignId),
    rules: rules.map(row => ({
      version: row.version,
      beneficiary: row.beneficiary,
      entryType: row.entry_type,
      rule: ruleOf(row),
      recurringMonths: row.recurring_months,
    })),
  }
}
