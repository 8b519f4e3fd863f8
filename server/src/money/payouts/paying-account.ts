import type { Db } from '../../db/database.ts'
import type { Rail } from '../rails/rail.ts'
import { credentialsChangedAt } from './rail-credentials.store.ts'

/** What is known of the account that payments may have been sent from. */
export interface SentFrom {
  account_id: number
  /** Its fingerprint; null where the call was made by a version that kept none. */
  paying_account: string | null
  /** Since when a call may have got through; null when none has been made. */
  sent_at: string | null
}

/**
 * Whether this rail pays from the account that was called before. Another one knows nothing of the first call: it would pay
 * again what the first has paid. Without a fingerprint the account is the same only if its credentials are older than the call.
 */
export async function isSameAccount(db: Db, sent: SentFrom, rail: Rail): Promise<boolean> {
  if (sent.sent_at === null) return true
  if (sent.paying_account !== null) return sent.paying_account === rail.account
  const changedAt = await credentialsChangedAt(db, sent.account_id, 'paypal')
  return changedAt !== undefined && Date.parse(changedAt) < Date.parse(sent.sent_at)
}

export const accountChanged = (name: string) =>
  `${name} was sent from another PayPal account than the one that is set now, so nothing is sent or asked. Put the old credentials back to continue, or check that account and mark each payment paid or failed.`
