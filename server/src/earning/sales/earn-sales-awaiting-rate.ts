import type { Db } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import { earnStoredSale } from './earn-stored-sale.ts'
import { explainUnearned, findSalesAwaitingRate, lockSale } from './sale.store.ts'

async function computeSale(db: Db, accountId: number, externalId: string): Promise<void> {
  await db.transaction(async tx => {
    const sale = await lockSale(tx, accountId, externalId)
    if (!sale?.awaits_rate || sale.referral_id === null) return
    const referral = await referralById(tx, accountId, sale.referral_id)
    const terms = await campaignTerms(tx, accountId, referral.campaign_id)
    if (!terms) throw new Error(`Campaign ${referral.campaign_id} of referral ${referral.id} is missing.`)
    await earnStoredSale(tx, accountId, sale, referral, terms)
  })
}

/**
 * Creates the commissions of sales whose exchange rate is now available, less refunds. One transaction each; a sale that fails is
 * reported at the end and does not block the others.
 */
export async function earnSalesAwaitingRate(db: Db): Promise<void> {
  const failures: unknown[] = []
  let after = { account_id: 0, id: 0 }
  for (;;) {
    const page = await findSalesAwaitingRate(db, after)
    for (const sale of page)
      await computeSale(db, sale.account_id, sale.external_id).catch(async error => {
        failures.push(error)
        // Rejected because of its amount at the new rate: the merchant sees why it is still waiting.
        if (error instanceof DomainError)
          await explainUnearned(db, sale.account_id, sale.id, 'amount_too_large')
      })
    const last = page.at(-1)
    if (!last) break
    after = last
  }
  if (failures.length > 0) throw new AggregateError(failures, `Failed to compute ${failures.length} sales.`)
}
