import type { Db } from '../../db/database.ts'
import type { Rail } from '../rails/rail.ts'
import { credentialsChangedAt } from './rail-credentials.store.ts'

/** The account that payments may have been sent from. */
export interface SentFrom {
  account_id: number
  /** Its fingerprint; null if the call was made by a version that stored none. */
  paying_account: string | null
  /** When the first call that may have been accepted was made; null if there was none. */
  sent_at: string | null
}

/**
 * Whether this rail pays from the account of the earlier call. Another account would not recognise the batch and would pay it
 * twice. Without a fingerprint, the account is the same only if its credentials are older than the call.
 */
export async function isSameAccount(db: Db, sent: SentFrom, rail: Rail): Promise<boolean> {
  if (sent.sent_at === null) return true
  if (sent.paying_account !== null) return sent.paying_account === rail.account
  const changedAt = await credentialsChangedAt(db, sent.account_id, 'paypal')
  return changedAt !== undefined && Date.parse(changedAt) < Date.parse(sent.sent_at)
}

export const accountChanged = (senderBatchId: string) =>
  `${senderBatchId} was sent from a different PayPal account than the current one, so it is on hold. Restore the old credentials to continue, or check that account and mark each payment paid or failed.`
