import type { Tx } from '../db/database.ts'
import { lockCustomer, shareLockReferral } from '../earning/referrals/referral.store.ts'
import { earnAgain } from '../earning/sales/report-sale.ts'
import { findSale, lockSales, markReplaced } from '../earning/sales/sale.store.ts'
import { lockEntriesOfSales } from '../money/ledger/entries.ts'
import { applyRefund, balanceRefunds } from './apply-refund.ts'
import {
  findBilledSale,
  findUncreditedSales,
  moveToSale,
  refundsOfBilledSale,
} from './billing-facts.store.ts'
import { namespaceOf } from './connector-name.ts'
import { creditSale } from './credit-sale.ts'
import { placeOf, type Source } from './outcome.ts'

type OfConnector = Pick<Source, 'connector'>

const bareSaleOf = ({ connector }: OfConnector, payment: string) => `${namespaceOf(connector)}:${payment}`

/** Whether the sale that a payment belongs to was made from the payment alone: such a sale is named after it. */
export const isBare = (source: OfConnector, [payment, sale]: [string, string]) =>
  sale === bareSaleOf(source, payment)

/**
 * Locks all that replacing bare sales changes, in the order of everything else that locks it: the customers, whose reports wait; the sales,
 * whose refunds wait; the referrals, whose reviews wait; the entries. The caller calls this before it locks any of them.
 */
export async function lockToReplace(
  tx: Tx,
  source: Source,
  payments: string[],
  by: { externalId: string; customer: string },
): Promise<void> {
  const place = placeOf(source)
  const bare = payments.map(payment => bareSaleOf(source, payment))
  const customers = new Set([by.customer])
  for (const externalId of bare) {
    const sale = await findBilledSale(tx, place, externalId)
    if (sale) customers.add(sale.customer)
  }
  for (const customer of [...customers].sort()) await lockCustomer(tx, place.accountId, customer)
  const sales = await lockSales(tx, place.accountId, [...bare, by.externalId])
  const referrals = new Set(sales.flatMap(({ referral_id }) => referral_id ?? []))
  for (const id of [...referrals].sort((a, b) => a - b)) await shareLockReferral(tx, place.accountId, id)
  const saleIds = sales.map(({ id }) => id)
  await lockEntriesOfSales(tx, place.accountId, saleIds)
}

/**
 * Takes back the sale that was made from a payment alone, because the payment turned out to belong to another sale, which reports the same
 * money: it gets the referral of the bare one if it has none, and earns as the first of its customer if the bare one did. What was refunded
 * of it is refunded of the other one. Returns the referral of the other one. The caller has locked both.
 */
export async function replaceBare(
  tx: Tx,
  source: Source,
  payment: string,
  by: string,
): Promise<number | null> {
  const place = placeOf(source)
  const from = bareSaleOf(source, payment)
  const bare = await findBilledSale(tx, place, from)
  const refunds = await refundsOfBilledSale(tx, place, from)
  await moveToSale(tx, place, { payment, from, to: by })
  if (!bare) return null
  const { occurred_at: occurredAt } = bare
  const sale = { externalId: from }
  await markReplaced(tx, place.accountId, from, by)
  await applyRefund(tx, source, { kind: 'refund', externalId: `${from}:replaced`, sale, occurredAt })
  const referralId = (await findSale(tx, place.accountId, from))?.referral_id ?? null
  const [uncredited] = await findUncreditedSales(tx, place, { externalId: by })
  if (uncredited && referralId !== null) await creditSale(tx, source, uncredited, referralId)
  const credited = await earnAgain(tx, place.accountId, by)
  if (refunds.length > 0) await balanceRefunds(tx, source, by, { externalId: `${by}:moved`, occurredAt })
  return credited
}
