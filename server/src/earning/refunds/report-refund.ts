import type { CreateRefund, RefundResult } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { presentCommission } from '../../money/commissions/commission.presenter.ts'
import { takeBackEntries } from '../../money/commissions/take-back-entries.ts'
import { entriesOfRefund, lockEntriesOfSale } from '../../money/ledger/entries.ts'
import { occurredAt } from '../occurred-at.ts'
import { lockSale, refundedSoFar } from '../sales/sale.store.ts'
import { findRefund, insertRefund, type RefundRow } from './refund.store.ts'

const CONTRADICTION = 'external_id names a refund of another sale or amount.'

async function knownRefund(
  tx: Tx,
  accountId: number,
  refund: RefundRow,
  sale: { id: number },
  request: CreateRefund,
): Promise<RefundResult> {
  if (refund.sale_id !== sale.id || (request.amount_minor ?? refund.amount_minor) !== refund.amount_minor)
    throw conflict(CONTRADICTION)
  return { commissions: (await entriesOfRefund(tx, accountId, refund.id)).map(presentCommission) }
}

/**
 * Reports a refund, exactly once by its external id, and takes back its share of what the sale earned: a full refund voids a
 * pending commission, any other nets against it. Refunds of one sale take turns, and together never exceed it.
 */
export function reportRefund(
  db: Db,
  accountId: number,
  request: CreateRefund,
): Promise<{ created: boolean; result: RefundResult }> {
  return db.transaction(async tx => {
    const sale = await lockSale(tx, accountId, request.sale_external_id)
    if (!sale) throw invalid('sale_external_id', 'names no sale of this account')
    const known = await findRefund(tx, accountId, request.external_id)
    if (known) return { created: false, result: await knownRefund(tx, accountId, known, sale, request) }

    // What is left of a sale that was taken under a higher limit can still be refunded as a whole.
    if (request.amount_minor !== undefined) assertAmount('amount_minor', request.amount_minor)
    const refunded = await refundedSoFar(tx, accountId, sale.id)
    const left = sale.amount_minor - refunded
    const amountMinor = request.amount_minor ?? left
    if (amountMinor > left || amountMinor < 1)
      throw invalid('amount_minor', `must be from 1 to ${left}, which is what is left of the sale`)
    const refund = await insertRefund(tx, accountId, {
      externalId: request.external_id,
      saleId: sale.id,
      amountMinor,
      occurredAt: await occurredAt(tx, request.occurred_at),
    })
    if (!refund) throw conflict(CONTRADICTION)
    const commissions = await takeBackEntries(
      tx,
      accountId,
      await lockEntriesOfSale(tx, accountId, sale.id),
      { part: BigInt(refunded) + BigInt(amountMinor), whole: BigInt(sale.amount_minor) },
      { refundId: refund.id, description: `Refund ${request.external_id}` },
    )
    return { created: true, result: { commissions } }
  })
}
