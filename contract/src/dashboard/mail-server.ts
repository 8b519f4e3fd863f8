import { type Static, Type } from 'typebox'
import { closed, Email, nullable, OneLine, oneOf, Timestamp } from '../fields.ts'
import { change, Done, read } from './schema.ts'

/** Implicit TLS, usually on port 465; TLS after connecting, usually on 587; none, for a relay in the same network. */
export const mailSecurities = ['tls', 'starttls', 'none'] as const
export type MailSecurity = (typeof mailSecurities)[number]

const fields = {
  host: Type.String({ pattern: '^[A-Za-z0-9.:_-]{1,253}$' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: oneOf(mailSecurities),
  user: nullable(OneLine(255)),
}

/** The account's SMTP server, without its password. The user, which is the password at some providers, is null for all but owners. */
export const MailServerSettings = closed({ ...fields, from: Type.String(), updated_at: Timestamp })
export type MailServerSettings = Static<typeof MailServerSettings>

export const SetMailServer = closed({
  ...fields,
  from: Email,
  /** Left out, the stored one stays, if host, port, security and user do too. */
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
})
export type SetMailServer = Static<typeof SetMailServer>

export const mailServerSchemas = {
  getMailServer: read(
    closed({
      /** Where emails are sent from: the server's environment comes first. Null while nothing is set up. */
      source: nullable(oneOf(['environment', 'account'])),
      from: nullable(Type.String()),
      server: nullable(MailServerSettings),
    }),
  ),
  setMailServer: change(SetMailServer, Done),
  removeMailServer: change(closed({}), Done),
  /** Sends an email to the user, through the server that is in use. */
  testMailServer: change(closed({}), closed({ to: Type.String() })),
}
