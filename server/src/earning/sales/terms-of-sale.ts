import type { Tx } from '../../db/database.ts'
import { type CampaignTerms, termsOf } from '../../programme/campaigns/campaign-terms.ts'
import { findTermsOfSale } from './eligibility.store.ts'

/** What a credited sale that was reported before earns by: changes of a campaign's rules apply to new sales only. */
export async function termsOfSale(tx: Tx, accountId: number, saleId: number): Promise<CampaignTerms> {
  const row = await findTermsOfSale(tx, accountId, saleId)
  if (!row) throw new Error(`Sale ${saleId} or its referral is missing.`)
  return termsOf(row)
}
