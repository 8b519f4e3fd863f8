import { type Static, Type } from 'typebox'
import { Affiliate } from '../affiliate.ts'
import { closed, Id, oneOf, Timestamp } from '../fields.ts'

/** The affiliate who is signed in. */
export const Me = closed({
  id: Id,
  email: Affiliate.properties.email,
  name: Affiliate.properties.name,
  /** A rejected affiliate cannot sign in. */
  status: oneOf(['pending', 'approved']),
  paypal_email: Affiliate.properties.paypal_email,
  created_at: Timestamp,
  campaigns: Type.Array(closed({ id: Id, name: Type.String() })),
  /** Whether they signed in recently enough to change where their money goes. */
  is_fresh: Type.Boolean(),
  /** Sent back with every change, to prove that our own page made it. */
  csrf_token: Type.String(),
})
export type Me = Static<typeof Me>
