import type { Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import { presentReferral } from './referral.presenter.ts'
import { insertReferral } from './referral.store.ts'

/** Creates a referral and its event in the same transaction. */
export async function openReferral(
  tx: Tx,
  accountId: number,
  referral: Omit<Referral, 'id' | 'created_at'>,
): Promise<Referral> {
  const opened = presentReferral(await insertReferral(tx, accountId, referral))
  recordEvent(tx, accountId, 'conversion.created', opened)
  return opened
}
