import { type Sql, sql } from '../../db/sql.ts'
import { containing } from '../../kit/like-pattern.ts'
import { isAmongEmailsLike } from '../customers/customer-email.store.ts'

/**
 * Whether a customer's reference contains the text, as typed or in lower case, as most emails are. Lowercasing the references would
 * take four times as long, and an index on their trigrams would make every new referral four times as expensive: a million take
 * about half a second as it is, and the newest are found first.
 */
export function matchesCustomer(customerRef: Sql, text: string): Sql {
  const [typed, lower] = [containing(text), containing(text.toLowerCase())]
  return typed === lower
    ? sql`${customerRef} LIKE ${typed}`
    : sql`(${customerRef} LIKE ${typed} OR ${customerRef} LIKE ${lower})`
}

/** Whether a customer's reference contains the text, or the address that is kept does. */
export const findsCustomer = (accountId: number, customerRef: Sql, text: string): Sql =>
  sql`(${matchesCustomer(customerRef, text)} OR ${isAmongEmailsLike(accountId, customerRef, text)})`
