import { campaignTerms } from '../campaigns/campaign-terms.ts'
import { takeBackEntries } from '../commissions/take-back-entries.ts'
import type { Db } from '../db/database.ts'
import { lockEntriesOfSale } from '../ledger/entries.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import { earnCommissions } from '../sales/earn-commissions.ts'
import { saleForRefund } from '../sales/sale-for-refund.ts'
import { salesAwaitingRate } from '../sales/sales-awaiting-rate.ts'
import { refundedSoFar } from './refund.store.ts'

async function computeSale(db: Db, accountId: number, externalId: string): Promise<void> {
  await db.transaction(async tx => {
    const sale = await saleForRefund(tx, accountId, externalId)
    if (!sale?.awaits_rate || sale.referral_id === null) return
    const referral = await referralById(tx, accountId, sale.referral_id)
    const terms = await campaignTerms(tx, accountId, referral.campaign_id)
    if (!terms) throw new Error(`Campaign ${referral.campaign_id} of referral ${referral.id} is missing.`)
    await earnCommissions(tx, accountId, sale, referral, terms)
    const refunded = await refundedSoFar(tx, accountId, sale.id)
    if (refunded > 0)
      await takeBackEntries(
        tx,
        accountId,
        await lockEntriesOfSale(tx, accountId, sale.id),
        { part: BigInt(refunded), whole: BigInt(sale.amount_minor) },
        { refundId: null, description: `Refunds of sale ${externalId}` },
      )
  })
}

/**
 * Lets sales earn whose rate of exchange has arrived, less what was refunded meanwhile. One transaction each, and a sale that
 * fails is told of at the end: it holds up no other.
 */
export async function computeWaitingSales(db: Db): Promise<void> {
  const failures: unknown[] = []
  let after = { account_id: 0, id: 0 }
  for (;;) {
    const page = await salesAwaitingRate(db, after)
    for (const sale of page)
      await computeSale(db, sale.account_id, sale.external_id).catch(error => failures.push(error))
    const last = page.at(-1)
    if (!last) break
    after = last
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} sales could not be computed.`)
}
