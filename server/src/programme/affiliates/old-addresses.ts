import type { UpdateAffiliate } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { emailKey } from '../../kit/email.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'

/**
 * Tells of another address where somebody who did not want it would see it, whoever changed it: a new way in, at the one that
 * they signed in with; a new place for their money, there and at the old place.
 */
export async function tellOldAddresses(
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
  const places = isOneAddress ? [before.email] : [before.email, before.paypal_email]
  await recordNotices(tx, accountId, [
    ...(emailKey(email) === emailKey(before.email)
      ? []
      : [{ kind: 'email_changed', affiliateId, details: { to: before.email, email } }]),
    ...(paypal_email === before.paypal_email
      ? []
      : places.map(to => ({ kind: 'paypal_changed', affiliateId, details: { to, paypal_email } }))),
  ])
}
