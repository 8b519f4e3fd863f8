import { updateAffiliate } from '../affiliates/update-affiliate.ts'
import type { Db } from '../db/database.ts'
import { emailKey } from '../kit/email.ts'
import { recordNotices } from '../mail/record-notice.ts'
import type { Own } from './portal-lists.store.ts'
import { findMe } from './portal-lists.store.ts'

export async function changeName(
  db: Db,
  { accountId, affiliateId }: Own,
  name: string | null,
): Promise<void> {
  await updateAffiliate(db, accountId, affiliateId, { name })
}

/**
 * Changes where the affiliate's money goes, and tells it where somebody who did not want it would see it: at the address that
 * was used so far, and at the one that they sign in with.
 */
export function changePayPal(db: Db, own: Own, address: string | null): Promise<void> {
  return db.transaction(async tx => {
    const before = await findMe(tx, own)
    if (!before || before.paypal_email === address) return
    await updateAffiliate(tx, own.accountId, own.affiliateId, { paypal_email: address })
    const isOneAddress = emailKey(before.paypal_email ?? before.email) === emailKey(before.email)
    const told = isOneAddress ? [before.email] : [before.email, before.paypal_email]
    await recordNotices(
      tx,
      own.accountId,
      told.map(to => ({
        kind: 'paypal_changed',
        affiliateId: own.affiliateId,
        details: { to, paypal_email: address },
      })),
    )
  })
}
