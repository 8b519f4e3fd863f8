import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { findAccountBySlug } from '../../programme/accounts/account.store.ts'
import { saveEmailOfVisitor } from '../customers/customer-email.store.ts'
import { lockCustomer } from '../referrals/referral.store.ts'
import { findOwnCustomers } from '../tracking/lead.store.ts'
import { type Lead, lockClickOfLead, recordLead } from '../tracking/record-lead.ts'
import { flagSelfReferrals } from './flag-self-referrals.ts'
import { sameEmail } from './fraud-rules.ts'

/**
 * A visitor left their email. Pages may report it after the sign-up: then a referral that was made without it is compared now, as it would have
 * been before.
 */
export async function reportLead({ db, leadKey }: { db: Db; leadKey: Buffer }, lead: Lead): Promise<void> {
  const accountId = await findAccountBySlug(db, lead.account)
  if (accountId === undefined) throw invalid('account', 'does not match an account')
  const left = { clickId: lead.click_id, email: lead.email.trim() }
  // Customers are locked before the click, as a conversion locks them, but are known for sure after it. Where one is missing, the locks are
  // released and taken again.
  for (let locked: string[] = []; ; ) {
    const own = await db.transaction(async tx => {
      for (const customer of locked) await lockCustomer(tx, accountId, customer)
      await lockClickOfLead(tx, accountId, lead)
      const customers = await findOwnCustomers(tx, accountId, left)
      if (customers.some(customer => !locked.includes(customer))) return customers
      await recordLead(tx, accountId, leadKey, lead)
      for (const customer of customers)
        await flagSelfReferrals(tx, accountId, customer, other => sameEmail(left.email, other))
      // After the customers' locks, as a conversion stores the address: in the other order, the two could wait for each other.
      saveEmailOfVisitor(tx, accountId, left)
      return undefined
    })
    if (!own) return
    locked = own
  }
}
