import type { Db, Tx } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { type PaymentFileFormat, paymentFiles } from '../rails/manual.ts'
import { paypalPays } from '../rails/paypal-status.ts'
import { assertOpen } from './mark-payments.ts'
import {
  hasItemsToPay,
  itemsWithoutAddress,
  lockPayout,
  startProcessing,
  streamItemsToPay,
} from './payout.store.ts'

/**
 * Marks the payout as sent before its payment file is written: once a person may have paid from the file, the payout can no longer
 * be canceled, only marked paid or failed. It must commit before the first line is sent.
 */
export async function startExport(
  db: Db,
  accountId: number,
  id: number,
  format: PaymentFileFormat,
): Promise<void> {
  await db.transaction(async tx => {
    const payout = await lockPayout(tx, accountId, id)
    if (!payout) throw notFound('payout')
    if (payout.rail !== 'manual')
      throw invalidState(`This payout is paid by ${payout.rail}; it has no payment file.`)
    assertOpen(payout.status)
    if (format === 'paypal' && !paypalPays(payout.currency))
      throw invalidState(`PayPal does not pay ${payout.currency} exactly. Use the bank file.`)
    if (!(await hasItemsToPay(tx, accountId, id)))
      throw invalidState('This payout has nothing left to pay: every item has an outcome.')
    if (format === 'paypal') await assertAddresses(tx, accountId, id)
    await startProcessing(tx, accountId, id)
  })
}

/** The payment file: one line for each item without an outcome. */
export async function* paymentFile(
  db: Db,
  accountId: number,
  id: number,
  format: PaymentFileFormat,
): AsyncGenerator<string> {
  const { header, line } = paymentFiles[format]
  if (header !== '') yield header
  for await (const items of streamSnapshot(db, tx => streamItemsToPay(tx, accountId, id)))
    yield items.map(line).join('')
}

async function assertAddresses(tx: Tx, accountId: number, id: number): Promise<void> {
  const missing = await itemsWithoutAddress(tx, accountId, id)
  if (missing.length > 0)
    throw invalidState(
      `Items without a PayPal address: ${missing.join(', ')}. Mark them failed first, or use the bank file.`,
    )
}
