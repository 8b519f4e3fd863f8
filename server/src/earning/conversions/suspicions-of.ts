import type { Tx } from '../../db/database.ts'
import { hasSignedInFrom } from '../../programme/affiliates/affiliate.store.ts'
import { shareLockClicks } from '../tracking/lead.store.ts'
import { type IsCustomer, suspicions } from './fraud-rules.ts'

/** A customer, and the clicks they came with. */
export interface KnownCustomer {
  ref: string
  clickIds: number[]
}

/** What billing systems, earlier reports and the visitor have said about a customer's emails. */
export type KnownEmails = (tx: Tx, accountId: number, customer: KnownCustomer) => Promise<IsCustomer>

export const noEmails: KnownEmails = async () => () => false

/** The clicks that an explanation names. */
export const clicksOf = ({ candidates }: { candidates: { click_id: number | null }[] }): number[] =>
  candidates.flatMap(({ click_id }) => click_id ?? [])

/**
 * What is known of the emails of a customer whom the caller has locked. Leads of the customer's clicks wait until the transaction ends, and then
 * find the referral.
 */
export async function lockedEmails(
  tx: Tx,
  accountId: number,
  customer: KnownCustomer,
  knownEmails: KnownEmails,
): Promise<IsCustomer> {
  const [, isCustomer] = await tx.inOrder(
    () => tx.readItem(shareLockClicks, accountId, customer.clickIds),
    () => knownEmails(tx, accountId, customer),
  )
  return isCustomer
}

/** The fraud suspicions against crediting this affiliate for this customer, whom the caller has locked; empty if there are none. */
export async function suspicionsOf(
  tx: Tx,
  accountId: number,
  affiliate: { id: number; email: string; paypal_email: string | null; review_referrals: boolean },
  customer: KnownCustomer & { addressHash: Buffer | null | undefined },
  knownEmails: KnownEmails,
): Promise<string[]> {
  const isCustomer = await lockedEmails(tx, accountId, customer, knownEmails)
  return suspicions({
    email: affiliate.email,
    paypalEmail: affiliate.paypal_email,
    isCustomer,
    customerRef: customer.ref,
    clickedFromOwnAddress: customer.addressHash
      ? await hasSignedInFrom(tx, accountId, affiliate.id, customer.addressHash)
      : false,
    isHeld: affiliate.review_referrals,
  })
}
