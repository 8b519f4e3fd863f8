import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { closed, Id, oneOf, Timestamp, TimeZone } from '../fields.ts'

/** The signed-in affiliate. */
export const Me = closed({
  id: Id,
  email: Affiliate.properties.email,
  name: Affiliate.properties.name,
  /** A rejected affiliate cannot sign in. */
  status: oneOf(['pending', 'approved']),
  paypal_email: Affiliate.properties.paypal_email,
  created_at: Timestamp,
  /** The company's: the dates of money, statements and emails are its days. */
  time_zone: TimeZone,
  campaigns: Type.Array(closed({ id: Id, name: Type.String() })),
  /** Whether they signed in recently enough to change their payout address. */
  is_fresh: Type.Boolean(),
  /** Sent with every change, to prove that it comes from our own page. */
  csrf_token: Type.String(),
})
export type Me = Static<typeof Me>
