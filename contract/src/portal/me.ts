import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { closed, Id, nullable, oneOf, Timestamp, TimeZone } from '../fields.ts'

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
  /** Whether they get the monthly digest; null if the company sends none. */
  digest: nullable(Type.Boolean()),
  /** Whether they signed in recently enough to change their payout address. */
  is_fresh: Type.Boolean(),
  /** Set when a member of the company's team views the portal: nothing can be changed. Null for the affiliate's own session. */
  view: nullable(
    closed({
      viewer: Type.String(),
      expires_at: Timestamp,
      /** The affiliate's page in the dashboard. */
      back: Type.String(),
    }),
  ),
  /** Sent with every change, to prove that it comes from our own page. */
  csrf_token: Type.String(),
})
export type Me = Static<typeof Me>
