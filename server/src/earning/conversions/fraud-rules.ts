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
  /** Whether every new referral of the affiliate needs a review. */
  isHeld: boolean
}

export const sameEmail = (a: string, b: string) => emailKey(a) === emailKey(b)

/** How a customer is recognised as the affiliate, the surest first: it is the one reason that is given. */
const recognised = {
  email: 'self-referral: the customer has the affiliate’s email address',
  paypalEmail: 'self-referral: the customer has the affiliate’s PayPal address',
  name: 'self-referral: the customer is named by the affiliate’s email address',
}

/** Why a referral needs a manual review before it counts; empty if nothing is suspicious. */
export function suspicions(suspect: Suspect): string[] {
  const { email, paypalEmail, isCustomer, customerRef, clickedFromOwnAddress, isHeld } = suspect
  const found: string[] = []
  if (isCustomer(email)) found.push(recognised.email)
  else if (paypalEmail !== null && isCustomer(paypalEmail)) found.push(recognised.paypalEmail)
  else if (sameEmail(customerRef, email)) found.push(recognised.name)
  if (clickedFromOwnAddress)
    found.push('self-referral: the click came from an address that the affiliate signs in from')
  if (isHeld) found.push('every referral of the affiliate is reviewed')
  return found
}

/**
 * Why a referral needs a review, by what was found before and later: the surest reason comes first and replaces a less sure one, as if all
 * had been known at once.
 */
export function withFound(review: string[], found: string[]): string[] {
  const all = [...new Set([...review, ...found])]
  const reasons = Object.values(recognised)
  const surest = reasons.find(reason => all.includes(reason))
  return surest === undefined ? all : [surest, ...all.filter(reason => !reasons.includes(reason))]
}
