import { type Static, Type } from 'typebox'
import { closed, Email, Id, nullable, OneLine, oneOf, TimeZone } from '../fields.ts'
import { roles } from './permissions.ts'
import { Done } from './schema.ts'

const Name = OneLine(255)
const RoleField = oneOf(roles)

/** The signed-in user and their accounts. */
export const SessionInfo = closed({
  user: closed({ id: Id, email: Type.String(), name: nullable(Type.String()) }),
  accounts: Type.Array(
    closed({ id: Id, name: Type.String(), slug: Type.String(), time_zone: TimeZone, role: RoleField }),
  ),
  /** Sent with every change, to prove that it comes from our own page. */
  csrf_token: Type.String(),
})
export type SessionInfo = Static<typeof SessionInfo>

/** An open invitation, as shown to anyone with its link. */
export const InvitationInfo = closed({
  account_name: Type.String(),
  email: Type.String(),
  role: RoleField,
  /** Whether the invited user already has a password, and signs in with it to accept. */
  is_known: Type.Boolean(),
})
export type InvitationInfo = Static<typeof InvitationInfo>

const Password = Type.String({ minLength: 8, maxLength: 1024 })
const Secret = Type.String({ minLength: 1, maxLength: 200 })

/** Calls outside of an account, below `/dashboard/api/`. */
export const personSchemas = {
  signIn: closed({ email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 1024 }) }),
  setUp: closed({
    code: Secret,
    company: Name,
    email: Email,
    password: Password,
    time_zone: Type.Optional(TimeZone),
  }),
  requestReset: closed({ email: Type.String({ maxLength: 254 }) }),
  resetPassword: closed({ token: Secret, password: Password }),
  lookAtReset: closed({ token: Secret }),
  lookAtInvitation: closed({ token: Secret }),
  acceptInvitation: closed({ token: Secret, password: Password, name: Type.Optional(nullable(Name)) }),
  changePassword: closed({ current: Type.String({ maxLength: 1024 }), password: Password }),
}

/** The results of these calls; the others return `Done`. */
export const personResults = {
  session: SessionInfo,
  setUp: closed({ needed: Type.Boolean() }),
  /** Whether this server sends emails at all; not whether the address is known. */
  requestReset: closed({ sends_emails: Type.Boolean() }),
  invitation: InvitationInfo,
  done: Done,
}
