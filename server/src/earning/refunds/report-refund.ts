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

const CONTRADICTION = 'external_id belongs to a refund with a different sale or amount.'

async function knownRefund(
  tx: Tx,
  accountId: number,
  refund: RefundRow,
  sale: { id: number },
  request: CreateRefund,
): Promise<RefundResult> {
  if (refund.sale_id !== sale.id || (request.amount_minor ?? refund.amount_minor) !== refund.amount_minor)
    throw conflict(CONTRADICTION)
  return { commissions: (await entriesOfRefund(tx, accountId, refund)).map(presentCommission) }
}

/**
 * Reports a refund, idempotent by its external id, and claws back its share of what the sale earned: a full refund voids a pending
 * commission, any other nets against it. Refunds of one sale are serialized, and together never exceed it.
 */
export function reportRefund(
  db: Db,
  accountId: number,
  request: CreateRefund,
): Promise<{ created: boolean; result: RefundResult }> {
  return db.transaction(async tx => {
    const sale = await lockSale(tx, accountId, request.sale_external_id)
    if (!sale) throw invalid('sale_external_id', 'does not match a sale in this account')
    const known = await findRefund(tx, accountId, request.external_id)
    if (known) return { created: false, result: await knownRefund(tx, accountId, known, sale, request) }

    // The rest of a sale that was accepted under a higher limit can still be refunded in full.
    if (request.amount_minor !== undefined) assertAmount('amount_minor', request.amount_minor)
    const refunded = await refundedSoFar(tx, accountId, sale.id)
    const remaining = sale.amount_minor - refunded
    const amountMinor = request.amount_minor ?? remaining
    if (amountMinor > remaining || amountMinor < 1)
      throw invalid('amount_minor', `must be between 1 and ${remaining}, the amount not refunded yet`)
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
