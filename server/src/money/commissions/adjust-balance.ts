import type { Commission } from '@tributary/contract'
import { HIDDEN_PROBLEM, isPlainText } from '@tributary/contract/one-line'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { findNamedById } from '../../programme/affiliates/named-affiliate.store.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { writeEntry } from './write-entry.ts'

/** Adjusts an affiliate's balance with a separate entry that is payable at once. Existing entries never change. */
export function adjustBalance(
  db: Db,
  accountId: number,
  adjustment: { affiliateId: number; campaignId: number; amountMinor: number; description: string },
): Promise<Commission> {
  const { affiliateId, campaignId, amountMinor, description } = adjustment
  if (!Number.isSafeInteger(amountMinor) || amountMinor === 0)
    throw invalid('amount_minor', 'must be a whole number of minor units other than 0')
  assertAmount('amount_minor', amountMinor)
  if (description.length < 1 || description.length > 1000)
    throw invalid('description', 'must have 1 to 1000 characters')
  if (!isPlainText(description)) throw invalid('description', HIDDEN_PROBLEM)
  return db.transaction(async tx => {
    const terms = await campaignTerms(tx, accountId, campaignId)
    if (!terms) throw invalid('campaign', 'does not match a campaign in this account')
    const affiliate = await findNamedById(tx, accountId, campaignId, affiliateId)
    if (!affiliate?.is_enrolled)
      throw invalid('affiliate', 'does not match an affiliate enrolled in this campaign')
    const { payout_currency, program_type } = terms.campaign
    const commission = await writeEntry(tx, accountId, {
      campaign_id: campaignId,
      affiliate_id: affiliateId,
      referral_id: null,
      entry_type: 'adjustment',
      beneficiary: program_type === 'referral' ? 'referrer' : 'affiliate',
      amount_minor: BigInt(amountMinor),
      currency: payout_currency,
      payout_amount_minor: BigInt(amountMinor),
      payout_currency,
      status: 'approved',
      hold_until: null,
      description,
    })
    return commission as Commission
  })
}
