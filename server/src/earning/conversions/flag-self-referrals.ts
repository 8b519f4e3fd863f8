import type { Tx } from '../../db/database.ts'
import { lockCustomer, moveReferralStatus } from '../referrals/referral.store.ts'
import { MOST_SALES } from '../sales/adopt-sales.ts'
import { lockSalesOfReferral } from '../sales/sale.store.ts'
import { findCreditedOf, replaceExplanation } from './conversion.store.ts'
import { type IsCustomer, suspicions, withFound } from './fraud-rules.ts'
import { findNotedOf, replaceReview } from './pending-credit.store.ts'

/** The affiliates who are credited for a customer, or would be once they are approved. */
export interface Suspects {
  credited: Awaited<ReturnType<typeof findCreditedOf>>
  noted: Awaited<ReturnType<typeof findNotedOf>>
}

/** The caller holds the lock of the customer. */
export async function findSuspects(tx: Tx, accountId: number, customerRef: string): Promise<Suspects> {
  const [credited, noted] = await Promise.all([
    findCreditedOf(tx, accountId, customerRef),
    findNotedOf(tx, accountId, customerRef),
  ])
  return { credited, noted }
}

/**
 * Sends the referrals of a customer to review whose affiliate turns out to have the customer's email, which became known after the referral
 * was made. What they earned and is not paid waits for the review; what is paid stays. A reason that was found before, or a less sure one, is
 * not raised again: a person may have approved the referral despite it. Returns whether any was found.
 */
export async function flagSuspects(
  tx: Tx,
  accountId: number,
  customerRef: string,
  { credited, noted }: Suspects,
  isCustomer: IsCustomer,
): Promise<boolean> {
  let isFound = false
  const reviewWith = (
    review: string[],
    { email, paypal_email: paypalEmail }: (typeof credited | typeof noted)[number],
  ) => {
    const all = withFound(
      review,
      suspicions({
        email,
        paypalEmail,
        isCustomer,
        customerRef,
        clickedFromOwnAddress: false,
        isHeld: false,
      }),
    )
    return all.every(reason => review.includes(reason)) ? undefined : all
  }
  for (const row of credited) {
    const { attribution, referral_id, conversion_id } = row
    const review = reviewWith(attribution.review, row)
    if (!review) continue
    isFound = true
    // Before the referral, as everything else locks them: what the event reports next may be about one of them.
    await lockSalesOfReferral(tx, accountId, referral_id, MOST_SALES)
    await moveReferralStatus(tx, accountId, referral_id, ['approved'], 'pending_review', undefined)
    await replaceExplanation(tx, accountId, conversion_id, { ...attribution, review })
  }
  for (const row of noted) {
    const review = reviewWith(row.review, row)
    if (!review) continue
    isFound = true
    await replaceReview(tx, accountId, { ...row, review })
  }
  return isFound
}

/** The same for what is known of a customer without a conversion being reported. */
export async function flagSelfReferrals(
  tx: Tx,
  accountId: number,
  customerRef: string,
  isCustomer: IsCustomer,
): Promise<void> {
  const [, suspects] = await tx.inOrder(
    () => lockCustomer(tx, accountId, customerRef),
    () => findSuspects(tx, accountId, customerRef),
  )
  await flagSuspects(tx, accountId, customerRef, suspects, isCustomer)
}
