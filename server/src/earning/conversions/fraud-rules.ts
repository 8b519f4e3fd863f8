import { emailKey } from '../../kit/email.ts'

/** Whether an email is the customer's. A predicate, as it may be known as a hash only. */
export type IsCustomer = (email: string) => boolean

export interface Suspect {
  email: string
  paypalEmail: string | null
  isCustomer: IsCustomer
  customerRef: string
  /** Whether the winning click came from an IP address the affiliate has signed in from. */
  clickedFromOwnAddress: boolean
}

export const sameEmail = (a: string, b: string) => emailKey(a) === emailKey(b)

/** Why a referral needs a manual review before it counts; empty if nothing is suspicious. */
export function suspicions(suspect: Suspect): string[] {
  const { email, paypalEmail, isCustomer, customerRef, clickedFromOwnAddress } = suspect
  const found: string[] = []
  if (isCustomer(email)) found.push('self-referral: the customer has the affiliate’s email address')
  else if (paypalEmail !== null && isCustomer(paypalEmail))
    found.push('self-referral: the customer has the affiliate’s PayPal address')
  else if (sameEmail(customerRef, email))
    found.push('self-referral: the customer is named by the affiliate’s email address')
  if (clickedFromOwnAddress)
    found.push('self-referral: the click came from an address that the affiliate signs in from')
  return found
}
