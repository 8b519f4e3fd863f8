import { emailKey } from '../../kit/email.ts'

export interface Suspect {
  email: string
  paypalEmail: string | null
  customerEmail: string | null
  customerRef: string
  /** Whether the winning click came from an IP address the affiliate has signed in from. */
  clickedFromOwnAddress: boolean
}

const sameEmail = (a: string | null, b: string | null) =>
  a !== null && b !== null && emailKey(a) === emailKey(b)

/** Why a referral needs a manual review before it counts; empty if nothing is suspicious. */
export function suspicions(suspect: Suspect): string[] {
  const { email, paypalEmail, customerEmail, customerRef, clickedFromOwnAddress } = suspect
  const found: string[] = []
  if (sameEmail(customerEmail, email))
    found.push('self-referral: the customer has the affiliate’s email address')
  else if (sameEmail(customerEmail, paypalEmail))
    found.push('self-referral: the customer has the affiliate’s PayPal address')
  else if (sameEmail(customerRef, email))
    found.push('self-referral: the customer is named by the affiliate’s email address')
  if (clickedFromOwnAddress)
    found.push('self-referral: the click came from an address that the affiliate signs in from')
  return found
}
