import type { Tx } from '../../db/database.ts'
import { hasSignedInFrom } from '../../programme/affiliates/affiliate.store.ts'
import { keptEmailOf } from '../customers/customer-email.store.ts'
import { type IsCustomer, sameEmail, suspicions } from './fraud-rules.ts'

/** What billing systems have said about a customer's emails. */
export type KnownEmails = (tx: Tx, accountId: number, customerRef: string) => Promise<IsCustomer>

/** The fraud suspicions against crediting this affiliate for this customer; empty if there are none. */
export async function suspicionsOf(
  tx: Tx,
  accountId: number,
  affiliate: { id: number; email: string; paypal_email: string | null; review_referrals: boolean },
  customer: { ref: string; addressHash: Buffer | null | undefined },
  knownEmails?: KnownEmails,
): Promise<string[]> {
  const kept = await keptEmailOf(tx, accountId, customer.ref)
  const isKnown = await knownEmails?.(tx, accountId, customer.ref)
  return suspicions({
    email: affiliate.email,
    paypalEmail: affiliate.paypal_email,
    isCustomer: email => (kept !== null && sameEmail(kept, email)) || (isKnown?.(email) ?? false),
    customerRef: customer.ref,
    clickedFromOwnAddress: customer.addressHash
      ? await hasSignedInFrom(tx, accountId, affiliate.id, customer.addressHash)
      : false,
    isHeld: affiliate.review_referrals,
  })
}
