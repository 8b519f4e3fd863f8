import type { Tx } from '../db/database.ts'
import { earnAgain } from '../earning/sales/report-sale.ts'
import { markReplaced } from '../earning/sales/sale.store.ts'
import { applyRefund, balanceRefunds } from './apply-refund.ts'
import { findBilledSale, moveToSale, refundsOfBilledSale } from './billing-facts.store.ts'
import { placeOf, type Source } from './outcome.ts'

type OfConnector = Pick<Source, 'connector'>

const bareSaleOf = ({ connector }: OfConnector, payment: string) => `${connector.provider}:${payment}`

/** Whether the sale that a payment belongs to was made from the payment alone: such a sale is named after it. */
export const isBare = (source: OfConnector, [payment, sale]: [string, string]) =>
  sale === bareSaleOf(source, payment)

/**
 * Takes back the sale that was made from a payment alone, because the payment turned out to belong to another sale, which reports the same
 * money, and earns as the first of its customer if the bare one did. What was refunded of it is refunded of the other one.
 */
export async function replaceBare(tx: Tx, source: Source, payment: string, by: string): Promise<void> {
  const place = placeOf(source)
  const from = bareSaleOf(source, payment)
  const bare = await findBilledSale(tx, place, from)
  const refunds = await refundsOfBilledSale(tx, place, from)
  await moveToSale(tx, place, { payment, from, to: by })
  if (!bare) return
  const { occurred_at: occurredAt } = bare
  const sale = { externalId: from }
  await markReplaced(tx, place.accountId, from, by)
  await applyRefund(tx, source, { kind: 'refund', externalId: `${from}:replaced`, sale, occurredAt })
  await earnAgain(tx, place.accountId, by)
  if (refunds.length > 0) await balanceRefunds(tx, source, by, { externalId: `${by}:moved`, occurredAt })
}
