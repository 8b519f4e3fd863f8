import type { UpdateAffiliate } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { emailKey } from '../../kit/email.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'

/**
 * Notifies the previous addresses of any change, so that the affiliate notices a takeover: a new email at the
 * previous email; a new PayPal address at the sign-in email and at the previous PayPal address.
 */
export async function notifyOldAddresses(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  before: { email: string; paypal_email: string | null },
  {
    email = before.email,
    paypal_email = before.paypal_email,
  }: Pick<UpdateAffiliate, 'email' | 'paypal_email'>,
): Promise<void> {
  const isOneAddress = emailKey(before.paypal_email ?? before.email) === emailKey(before.email)
  const recipients = isOneAddress ? [before.email] : [before.email, before.paypal_email]
  await recordNotices(tx, accountId, [
    ...(emailKey(email) === emailKey(before.email)
      ? []
      : [{ kind: 'email_changed', affiliateId, details: { to: before.email, email } }]),
    ...(paypal_email === before.paypal_email
      ? []
      : recipients.map(to => ({ kind: 'paypal_changed', affiliateId, details: { to, paypal_email } }))),
  ])
}
