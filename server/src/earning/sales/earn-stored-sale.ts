import type { Commission, Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import { takeBackEntries } from '../../money/commissions/take-back-entries.ts'
import { entriesOfSale, lockEntriesOfSale, refundsOf } from '../../money/ledger/entries.ts'
import type { SaleEntry } from '../../money/ledger/entry.ts'
import type { CampaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import { type Earned, earnCommissions } from './earn-commissions.ts'
import { refundsInForce, type SaleRow } from './sale.store.ts'

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

/**
 * Claws back what a sale's refunds have not taken yet, each refund its own part: a person may waive one, and another may fail. A pending entry
 * of a sale that was refunded in full is void, by all of them. Idempotent, because refunds are rounded on their total.
 */
export async function takeBackRefunds(tx: Tx, accountId: number, sale: SaleRow): Promise<Commission[]> {
  const refunds = await refundsInForce(tx, accountId, sale.id)
  const whole = BigInt(sale.amount_minor)
  const description = refundsOf(sale.external_id)
  const total = refunds.reduce((sum, { amount_minor }) => sum + BigInt(amount_minor), 0n)
  const changed: Commission[] = []
  const isVoided = ({ status }: SaleEntry) => total >= whole && status === 'pending'
  let part = 0n
  for (const { id: refundId, amount_minor } of refunds) {
    part += BigInt(amount_minor)
    const entries = await lockEntriesOfSale(tx, accountId, sale.id)
    const reduced = entries.filter(entry => !isVoided(entry))
    changed.push(
      ...(await takeBackEntries(tx, accountId, reduced, { part, whole }, { refundId, description })),
    )
  }
  if (total < whole || total === 0n) return changed
  const voided = (await lockEntriesOfSale(tx, accountId, sale.id)).filter(isVoided)
  const reason = { refundId: null, refundIds: refunds.map(({ id }) => id), description }
  return [...changed, ...(await takeBackEntries(tx, accountId, voided, { part: total, whole }, reason))]
}
