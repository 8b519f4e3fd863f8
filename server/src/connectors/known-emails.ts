import { sameEmail } from '../earning/conversions/fraud-rules.ts'
import type { KnownEmails } from '../earning/conversions/suspicions-of.ts'
import { emailHash } from '../earning/tracking/record-lead.ts'
import { findKnownEmails } from './billing-facts.store.ts'

/** What is known of a customer's emails: an affiliate must not earn on their own purchases. Most of them are kept as keyed hashes only. */
export const emailsKnownWith =
  (leadKey: Buffer): KnownEmails =>
  async (tx, accountId, customer) => {
    const { hashes, kept } = await tx.readItem(findKnownEmails, accountId, customer)
    const hashOf = (email: string) => emailHash(leadKey, accountId, email).toString('hex')
    return email =>
      (kept !== null && sameEmail(kept, email)) || (hashes.length > 0 && hashes.includes(hashOf(email)))
  }
