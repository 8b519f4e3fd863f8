import type { Commission, Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import { takeBackEntries } from '../../money/commissions/take-back-entries.ts'
import { entriesOfSale, lockEntriesOfSale, refundsOf } from '../../money/ledger/entries.ts'
import type { CampaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { type Earned, earnCommissions } from './earn-commissions.ts'
import { refundedSoFar, refundsInForce, type SaleRow } from './sale.store.ts'

/**
 * Creates the commissions of a sale that was stored earlier and may have been refunded since: exactly what was not refunded is earned.
 * The caller holds the sale's lock, so a concurrent refund is either counted here or finds the entries.
 */
export async function earnStoredSale(
  tx: Tx,
  accountId: number,
  sale: SaleRow,
  referral: Referral,
  terms: CampaignTerms,
): Promise<Earned> {
  const { waiting_for } = await earnCommissions(tx, accountId, sale, referral, terms)
  await takeBackRefunds(tx, accountId, sale)
  const commissions = (await entriesOfSale(tx, accountId, sale.id)).map(presentCommission)
  return { commissions, waiting_for }
}

/** Claws back what a sale's refunds have not taken yet. Idempotent, because refunds are rounded on their total. */
export async function takeBackRefunds(tx: Tx, accountId: number, sale: SaleRow): Promise<Commission[]> {
  const refunded = await refundedSoFar(tx, accountId, sale.id)
  if (refunded === 0) return []
  return takeBackEntries(
    tx,
    accountId,
    await lockEntriesOfSale(tx, accountId, sale.id),
    { part: BigInt(refunded), whole: BigInt(sale.amount_minor) },
    {
      refundId: null,
      refundIds: await refundsInForce(tx, accountId, sale.id),
      description: refundsOf(sale.external_id),
    },
  )
}
