import type { Referral } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import { presentReferral } from './referral.presenter.ts'
import { insertReferral } from './referral.store.ts'

/** Creates a referral, with an id that was drawn before, and its event in the same transaction. */
export function openReferral(tx: Tx, accountId: number, referral: Referral): Referral {
  const opened = presentReferral(referral)
  insertReferral(tx, accountId, opened)
  recordEvent(tx, accountId, 'conversion.created', opened)
  return opened
}
