import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { recordManualOutcome } from './mark-payments.ts'
import { findHead } from './payout.store.ts'
import { submitPayout } from './submit-payout.ts'

/**
 * Pays a payout as its rail does. A PayPal payout is submitted once, and the service tracks it until it is final. For a manual one,
 * for single items, and with `markPaid`, this records that a person has paid; settling is left to the caller or the service.
 */
export async function payPayout(
  db: Db,
  secrets: SecretBox,
  accountId: number,
  id: number,
  {
    itemIds,
    reference,
    markPaid = false,
  }: {
    itemIds?: number[] | undefined
    reference?: string | undefined
    markPaid?: boolean | undefined
  },
): Promise<{ items: number; submitted: boolean }> {
  const head = await findHead(db, accountId, id)
  if (!head) throw notFound('payout')
  if (head.rail === 'paypal' && !itemIds && !markPaid) {
    if (head.status === 'processing')
      throw invalidState(
        'The payout was already handed over to PayPal. To record as paid what PayPal did not confirm, add --mark-paid.',
      )
    return { items: await submitPayout(db, secrets, accountId, id), submitted: true }
  }
  const reported = { outcome: 'paid', reason: null, reference: reference ?? null } as const
  return { items: await recordManualOutcome(db, accountId, id, reported, { itemIds }), submitted: false }
}
