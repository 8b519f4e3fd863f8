import type { Commission } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { writeEntry } from '../../money/commissions/write-entry.ts'
import { lockEntriesOfSale, takenByRefunds } from '../../money/ledger/entries.ts'
import { giveBack } from '../../money/ledger/give-back.ts'
import { referralById } from '../referrals/referrals-of-customer.ts'
import { lockSale, refundedSoFar } from '../sales/sale.store.ts'
import { findRefund, markReversed } from './refund.store.ts'

/**
 * Reverses a refund that did not happen after all: it failed, or a dispute was won. What it took back is given back, and a later refund of
 * the sale takes it again. Repeating it changes nothing. A rejected referral earns nothing, so it gets nothing back.
 */
export function reverseRefund(
  db: Db,
  accountId: number,
  { externalId, saleExternalId }: { externalId: string; saleExternalId: string },
): Promise<{ commissions: Commission[] }> {
  return db.transaction(async tx => {
    // Locked first, as by a refund: the two see each other's writes.
    const sale = await lockSale(tx, accountId, saleExternalId)
    const refund = sale && (await findRefund(tx, accountId, externalId))
    if (!sale || refund?.sale_id !== sale.id) throw notFound('refund')
    const commissions: Commission[] = []
    if (!(await markReversed(tx, accountId, refund.id))) return { commissions }
    const referral =
      sale.referral_id === null ? undefined : await referralById(tx, accountId, sale.referral_id)
    if (!referral || referral.status === 'rejected') return { commissions }
    const share = {
      part: BigInt(await refundedSoFar(tx, accountId, sale.id)),
      whole: BigInt(sale.amount_minor),
    }
    const entries = await lockEntriesOfSale(tx, accountId, sale.id)
    const taken = await takenByRefunds(tx, accountId, sale)
    for (const entry of entries) {
      const byRefunds = taken.find(({ id }) => id === entry.id)
      const adjustment = byRefunds && giveBack(entry, share, byRefunds, `Refund ${externalId} was reversed`)
      const written = adjustment && (await writeEntry(tx, accountId, adjustment))
      if (written) commissions.push(written)
    }
    return { commissions }
  })
}
