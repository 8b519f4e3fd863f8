import type { Tx } from '../db/database.ts'
import { reportSale } from '../earning/sales/report-sale.ts'
import type { BilledSale } from './billing-facts.store.ts'
import { creditEvents, failEventOfSale } from './connector-event.store.ts'
import { backOff, failureText, isOfDatabase } from './failed-state.ts'
import { placeOf, type Source } from './outcome.ts'

/** Credits an unattributed sale to a referral of its customer, and shows it on the sale's events. What fails leaves nothing. */
export function creditSale(tx: Tx, source: Source, sale: BilledSale, referralId: number): Promise<void> {
  const { accountId, connectorId } = placeOf(source)
  // A savepoint.
  return tx.transaction(async inner => {
    const { result } = await reportSale(
      inner,
      accountId,
      {
        customer_ref: sale.customer,
        external_id: sale.external_id,
        amount_minor: sale.amount_minor,
        currency: sale.currency,
        occurred_at: sale.occurred_at,
      },
      { adopt: true, referralId },
    )
    if (result.referral)
      await creditEvents(inner, accountId, connectorId, sale.external_id, result.referral.id)
  })
}

/** Credits unattributed sales, each alone: one that can't be credited shows why on its event, and holds up nothing else. */
export async function creditSales(
  tx: Tx,
  source: Source,
  sales: BilledSale[],
  referralId: number,
): Promise<void> {
  const { accountId, connectorId } = placeOf(source)
  for (const sale of sales) {
    try {
      await creditSale(tx, source, sale, referralId)
    } catch (error) {
      if (isOfDatabase(error)) throw error
      const failure = { message: failureText(error), dueInSeconds: backOff(0) }
      await failEventOfSale(tx, accountId, connectorId, sale.external_id, failure)
    }
  }
}
