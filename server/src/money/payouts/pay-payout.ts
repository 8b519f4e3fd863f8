import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { recordManualOutcome } from './mark-payments.ts'
import { findHead } from './payout.store.ts'
import { submitPayout } from './submit-payout.ts'

/**
 * Pays a payout. A pending PayPal payout is submitted, and the service tracks it until it is final. For any other, or for single
 * items, this records that a person has paid; settling is left to the caller or the service.
 */
export async function payPayout(
  db: Db,
  secrets: SecretBox,
  accountId: number,
  id: number,
  { itemIds, reference }: { itemIds?: number[] | undefined; reference?: string | undefined },
): Promise<{ items: number; submitted: boolean }> {
  const head = await findHead(db, accountId, id)
  if (!head) throw notFound('payout')
  if (head.rail === 'paypal' && head.status === 'pending' && !itemIds) {
    await submitPayout(db, secrets, accountId, id)
    return { items: head.item_count, submitted: true }
  }
  const reported = { outcome: 'paid', reason: null, reference: reference ?? null } as const
  return { items: await recordManualOutcome(db, accountId, id, reported, itemIds), submitted: false }
}
