import type { Db, Tx } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { type PaymentFileFormat, paymentFiles } from '../rails/manual.ts'
import { assertOpen } from './decide-payout.ts'
import {
  hasItemsToPay,
  itemsWithoutAddress,
  lockPayout,
  startProcessing,
  streamItemsToPay,
} from './payout.store.ts'

/**
 * The first half of writing the file that a person pays from. From then on the payout counts as sent: it can no longer be
 * cancelled as if nobody had paid, and each of its items ends as paid or failed. Only then may anybody get to see the file.
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
      throw invalidState(`This payout is paid by ${payout.rail}; there is no file to pay from.`)
    assertOpen(payout.status)
    if (!(await hasItemsToPay(tx, accountId, id)))
      throw invalidState('Nothing of this payout is left to pay: it is known what became of every item.')
    if (format === 'paypal') await assertAddresses(tx, accountId, id)
    await startProcessing(tx, accountId, id)
  })
}

/** The second half: a line for each item of which nobody has said yet what became of it. */
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
      `Items without a PayPal address: ${missing.join(', ')}. Mark them failed first, or pay from the bank file.`,
    )
}
