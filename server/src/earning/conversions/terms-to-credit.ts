import type { Tx } from '../../db/database.ts'
import { invalid, invalidState } from '../../kit/domain-error.ts'
import { findCampaignStatus } from '../../programme/campaigns/campaign-stop.store.ts'
import { type CampaignTerms, campaignTerms } from '../../programme/campaigns/campaign-terms.ts'

/** A paused campaign credits no conversion automatically, but a person may; an archived one has ended. */
export async function termsToCredit(tx: Tx, accountId: number, campaignId: number): Promise<CampaignTerms> {
  const [terms, status] = await Promise.all([
    campaignTerms(tx, accountId, campaignId),
    findCampaignStatus(tx, accountId, campaignId),
  ])
  if (!terms) throw invalid('campaign_id', 'does not match a campaign in this account')
  if (status === 'archived') throw invalidState('The campaign is archived. Restore it first.')
  return terms
}
