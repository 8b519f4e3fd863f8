import type { Commission } from '@tributary/contract'
import { HIDDEN_PROBLEM, isPlainText } from '@tributary/contract/one-line'
import type { Db, Tx } from '../../db/database.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { findNamedById } from '../../programme/affiliates/named-affiliate.store.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { lockEntryOfRequest } from '../ledger/entries.ts'
import { presentCommission } from './commission.presenter.ts'
import { writeEntry } from './write-entry.ts'

interface Adjustment {
  affiliateId: number
  campaignId: number
  amountMinor: number
  description: string
  /** A repeat with the same ID returns the first entry. */
  requestId?: string | undefined
}

/** The entry of an earlier request with the same ID. */
async function knownAdjustment(
  tx: Tx,
  accountId: number,
  { requestId, affiliateId, campaignId, amountMinor, description }: Adjustment,
): Promise<Commission | undefined> {
  const known = requestId === undefined ? undefined : await lockEntryOfRequest(tx, accountId, requestId)
  if (!known) return undefined
  if (
    known.affiliate_id !== affiliateId ||
    known.campaign_id !== campaignId ||
    known.amount_minor !== amountMinor ||
    known.description !== description
  )
    throw conflict(
      'This adjustment was already created with other values. Reload the page to see it, then create another one.',
    )
  return presentCommission(known)
}

/**
 * Adjusts an affiliate's balance with a separate entry that is payable at once. Existing entries never change. Of two requests with one ID
 * at the same time, the second waits for the first.
 */
export function adjustBalance(db: Db, accountId: number, adjustment: Adjustment): Promise<Commission> {
  const { affiliateId, campaignId, amountMinor, description, requestId } = adjustment
  if (!Number.isSafeInteger(amountMinor) || amountMinor === 0)
    throw invalid('amount_minor', 'must be a whole number of minor units other than 0')
  assertAmount('amount_minor', amountMinor)
  if (description.length < 1 || description.length > 1000)
    throw invalid('description', 'must have 1 to 1000 characters')
  if (!isPlainText(description)) throw invalid('description', HIDDEN_PROBLEM)
  return db.transaction(async tx => {
    const known = await knownAdjustment(tx, accountId, adjustment)
    if (known) return known
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
      ...(requestId !== undefined && { request_id: requestId }),
    })
    return commission as Commission
  })
}
