import type { Campaign } from '@tributary/contract'
import type { Db, ReadItems } from '../../db/database.ts'
import { presentCampaign } from './campaign.presenter.ts'
import { findTerms, findTermsOfAll, type RuleRow, type TermsRow } from './campaign.store.ts'
import type { CommissionRule } from './campaign.ts'

/** A current rule: what it pays, to whom, and for how long. */
export interface RuleInForce {
  version: number
  beneficiary: RuleRow['beneficiary']
  entryType: RuleRow['entry_type']
  rule: CommissionRule
  /** How many months after the first sale later sales earn too. 0 is the first sale only, null is unlimited. */
  recurringMonths: number | null
}

export interface CampaignTerms {
  campaign: Campaign
  reviewsReferrals: boolean
  /** Whether approving an affiliate credits conversions reported while it was pending. */
  looksBack: boolean
  rules: RuleInForce[]
}

const ruleOf = (row: RuleRow): CommissionRule =>
  row.rate_basis_points !== null
    ? { kind: 'percent', rateBasisPoints: row.rate_basis_points }
    : { kind: 'flat', amountMinor: row.flat_minor as number, currency: row.flat_currency as string }

export const termsOf = (row: TermsRow): CampaignTerms => ({
  campaign: presentCampaign(row),
  reviewsReferrals: row.review_referrals,
  looksBack: row.look_back,
  rules: row.rules.map(rule => ({
    version: rule.version,
    beneficiary: rule.beneficiary,
    entryType: rule.entry_type,
    rule: ruleOf(rule),
    recurringMonths: rule.recurring_months,
  })),
})

/** Everything that a conversion or sale needs of its campaign; undefined if there is no such campaign. */
export async function campaignTerms(
  db: Db,
  accountId: number,
  campaignId: number,
): Promise<CampaignTerms | undefined> {
  const row = await findTerms(db, accountId, campaignId)
  return row && termsOf(row)
}

/** The same for several campaigns. */
export const termsOfCampaigns: ReadItems<number, CampaignTerms | undefined> = async (tx, accountId, ids) => {
  const found = new Map((await findTermsOfAll(tx, accountId, ids)).map(row => [row.id, termsOf(row)]))
  return ids.map(id => found.get(id))
}
