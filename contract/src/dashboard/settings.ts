import { type Static, Type } from 'typebox'
import {
  Currency,
  closed,
  Email,
  Id,
  nullable,
  OneLine,
  oneOf,
  openMap,
  Timestamp,
  TimeZone,
} from '../fields.ts'
import { auditedKinds } from './audited.ts'
import { mailStatuses } from './mails.ts'
import { roles } from './permissions.ts'
import { allOf, change, Done, file, pageOf, pageQuery, read, searchText } from './schema.ts'

export const ApiKeySummary = closed({
  id: Id,
  name: Type.String(),
  last_four: Type.String(),
  /** The user who created it, null if unknown. The key belongs to the account and stays when they leave. */
  created_by: nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
})
export type ApiKeySummary = Static<typeof ApiKeySummary>

const RoleField = oneOf(roles)

export const Member = closed({
  id: Id,
  email: Type.String(),
  name: nullable(Type.String()),
  role: RoleField,
  created_at: Timestamp,
})
export type Member = Static<typeof Member>

export const Invitation = closed({
  id: Id,
  email: Type.String(),
  role: RoleField,
  expires_at: Timestamp,
  created_at: Timestamp,
})
export type Invitation = Static<typeof Invitation>

export const AccountSettings = closed({
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  /** Decides the days of the overview, statements and payout cut-offs. */
  time_zone: TimeZone,
  /** Where links lead whose affiliate or campaign doesn't exist; null for a campaign's destination. */
  site_url: nullable(Type.String()),
  /** What reports convert every amount to; null to list amounts by currency. */
  reporting_currency: nullable(Currency),
  /** The sender of emails; null without an SMTP server, when emails are only kept for reading here. */
  mail_from: nullable(Type.String()),
})
export type AccountSettings = Static<typeof AccountSettings>

export const FxRate = closed({
  base: Currency,
  quote: Currency,
  day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  /** An exact decimal, which a JSON number can't represent. */
  rate: Type.String(),
  source: Type.String(),
})

export const MailSummary = closed({
  id: Id,
  kind: Type.String(),
  to_address: Type.String(),
  subject: Type.String(),
  status: oneOf(mailStatuses),
  problem: nullable(Type.String()),
  created_at: Timestamp,
  sent_at: nullable(Timestamp),
})
export type MailSummary = Static<typeof MailSummary>

const mailFilters = {
  /** A part of the recipient's address or of the subject. */
  q: searchText,
  status: Type.Optional(oneOf(mailStatuses)),
}

const ActorKind = oneOf(['user', 'api_key', 'command', 'affiliate'])

/** An object that an audit entry mentions, under its current name: of a commission or payment its affiliate, of a payout its campaign. */
export const AuditedObject = closed({
  kind: oneOf(auditedKinds),
  id: Id,
  name: Type.String(),
  /** The currency of amounts in the entry. */
  currency: nullable(Currency),
})
export type AuditedObject = Static<typeof AuditedObject>

export const AuditEntry = closed({
  id: Id,
  actor_kind: ActorKind,
  actor_id: nullable(Id),
  actor_name: Type.String(),
  address: nullable(Type.String()),
  action: Type.String(),
  subject_id: nullable(Id),
  subject_kind: nullable(oneOf(auditedKinds)),
  /** The objects that the subject and the details refer to by ID; the first ten of each. */
  objects: Type.Array(AuditedObject),
  /** The request body and what the handler added. `before` has the previous values of changed fields. */
  details: openMap('Fields of the audited call, by its action'),
  created_at: Timestamp,
})
export type AuditEntry = Static<typeof AuditEntry>

const Name = OneLine(255)

const auditFilters = {
  actor_kind: Type.Optional(ActorKind),
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  subject_id: Type.Optional(Id),
}

export const settingsSchemas = {
  listApiKeys: read(allOf(ApiKeySummary)),
  exportApiKeys: file(),
  createApiKey: change(closed({ name: Name }), closed({ id: Id, key: Type.String() })),
  revokeApiKey: change(closed({}), Done),

  listTeam: read(closed({ members: Type.Array(Member), invitations: Type.Array(Invitation) })),
  exportTeam: file(),
  /** The link is returned only if there is no SMTP server to email it. */
  invite: change(
    closed({ email: Email, role: RoleField }),
    closed({ id: Id, link: nullable(Type.String()) }),
  ),
  withdrawInvitation: change(closed({}), Done),
  changeRole: change(closed({ role: RoleField }), Done),
  removeMember: change(closed({}), Done),

  getAccount: read(AccountSettings),
  updateAccount: change(
    closed(
      {
        name: Type.Optional(Name),
        time_zone: Type.Optional(TimeZone),
        site_url: Type.Optional(nullable(Type.String({ maxLength: 2048 }))),
        reporting_currency: Type.Optional(nullable(Currency)),
      },
      { minProperties: 1 },
    ),
    AccountSettings,
  ),
  getRails: read(closed({ paypal: nullable(closed({ client_id: Type.String(), updated_at: Timestamp })) })),
  setPayPalCredentials: change(
    closed({
      client_id: Type.String({ minLength: 1, maxLength: 500 }),
      client_secret: Type.String({ minLength: 1, maxLength: 500 }),
    }),
    Done,
  ),
  listRates: read(allOf(FxRate)),
  exportRates: file(),
  listMails: read(pageOf(MailSummary), closed({ ...pageQuery, ...mailFilters })),
  exportMails: file(closed(mailFilters)),
  getMail: read(closed({ ...MailSummary.properties, text_body: Type.String(), html_body: Type.String() })),

  listAuditLog: read(pageOf(AuditEntry), closed({ ...pageQuery, ...auditFilters })),
  exportAuditLog: file(closed(auditFilters)),
}
