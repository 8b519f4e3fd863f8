import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { recordDecision } from './decide-payout.ts'
import { handOverPayout } from './hand-over-payout.ts'
import { findHead } from './payout.store.ts'

/**
 * Pays a payout. One for PayPal that has not been sent is handed over, and the service follows it to its end; any other, or single
 * items, a person has paid: that is written down, and the booking is left to the caller or the service.
 */
export async function payPayout(
  db: Db,
  secrets: SecretBox,
  accountId: number,
  id: number,
  { itemIds, reference }: { itemIds?: number[] | undefined; reference?: string | undefined },
): Promise<{ items: number; handedOver: boolean }> {
  const head = await findHead(db, accountId, id)
  if (!head) throw notFound('payout')
  if (head.rail === 'paypal' && head.status === 'pending' && !itemIds) {
    await handOverPayout(db, secrets, accountId, id)
    return { items: head.item_count, handedOver: true }
  }
  const verdict = { outcome: 'paid', reason: null, reference: reference ?? null } as const
  return { items: await recordDecision(db, accountId, id, verdict, itemIds), handedOver: false }
}
