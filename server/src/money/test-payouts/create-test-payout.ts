import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { lockCampaignPayouts } from '../ledger/pins.ts'
import { insertTestPayout, type TestPayable } from './test-payout.store.ts'

/**
 * Pays a campaign's test commissions as a payout would, without a rail, a ledger entry or an event: nothing is sent and no balance
 * changes. Serialized with the campaign's payouts, so that a test commission is in one test payout only.
 */
export function createTestPayout(
  db: Db,
  accountId: number,
  campaignId: number,
): Promise<TestPayable & { id: number }> {
  return db.transaction(async tx => {
    const terms = await campaignTerms(tx, accountId, campaignId)
    if (!terms) throw notFound('campaign')
    await lockCampaignPayouts(tx, accountId, campaignId)
    const { id, ...payable } = await insertTestPayout(tx, accountId, {
      campaignId,
      currency: terms.campaign.payout_currency,
    })
    if (id === null)
      throw invalidState(
        'There are no test commissions to pay. Report a test conversion with a sale for an approved affiliate first.',
      )
    return { id, ...payable }
  })
}
