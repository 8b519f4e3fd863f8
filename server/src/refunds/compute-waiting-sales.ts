import { campaignTerms } from '../campaigns/campaign-terms.ts'
import { takeBackEntries } from '../commissions/take-back-entries.ts'
import type { Db } from '../db/database.ts'
import { lockEntriesOfSale } from '../ledger/entries.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import { earnCommissions } from '../sales/earn-commissions.ts'
import { saleForRefund } from '../sales/sale-for-refund.ts'
import { salesAwaitingRate } from '../sales/sales-awaiting-rate.ts'
import { refundedSoFar } from './refund.store.ts'

/**
 * Lets sales earn whose rate of exchange has arrived, less what was refunded meanwhile. One transaction each: a sale that still
 * waits holds up no other.
 */
export async function computeWaitingSales(db: Db): Promise<void> {
  for (const { account_id, external_id } of await salesAwaitingRate(db))
    await db.transaction(async tx => {
      const sale = await saleForRefund(tx, account_id, external_id)
      if (!sale?.awaits_rate || sale.referral_id === null) return
      const referral = await referralById(tx, account_id, sale.referral_id)
      const terms = await campaignTerms(tx, account_id, referral.campaign_id)
      if (!terms) return
      await earnCommissions(tx, account_id, sale, referral, terms)
      const refunded = await refundedSoFar(tx, account_id, sale.id)
      if (refunded > 0)
        await takeBackEntries(
          tx,
          account_id,
          await lockEntriesOfSale(tx, account_id, sale.id),
          { part: BigInt(refunded), whole: BigInt(sale.amount_minor) },
          { refundId: null, description: `Refunds of sale ${external_id}` },
        )
    })
}
