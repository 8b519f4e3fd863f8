import { Type } from 'typebox'
import { closed, Email, Id, OneLine, oneOf } from '../fields.ts'
import { type Role, roles } from './permissions.ts'
import { change, Done, file, type Page, pageQuery, read, resultOf } from './schema.ts'

export interface ApiKeySummary {
  id: number
  name: string
  last_four: string
  /** Who made it; a key belongs to the account and stays when they leave. Null where nothing tells. */
  created_by: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

export interface Member {
  id: number
  email: string
  name: string | null
  role: Role
  created_at: string
}

export interface Invitation {
  id: number
  email: string
  role: Role
  expires_at: string
  created_at: string
}

export interface AccountSettings {
  id: number
  name: string
  slug: string
  /** Whom mails come from; null where no mail server is set, and mails are kept to be read instead. */
  mail_from: string | null
}

export interface MailSummary {
  id: number
  kind: string
  to_address: string
  subject: string
  status: 'pending' | 'sent' | 'failed' | 'kept'
  problem: string | null
  created_at: string
  sent_at: string | null
}

export interface AuditEntry {
  id: number
  actor_kind: 'user' | 'api_key' | 'command' | 'affiliate'
  actor_id: number | null
  actor_name: string
  address: string | null
  action: string
  subject_id: number | null
  details: Record<string, unknown>
  created_at: string
}

const Name = OneLine(255)
const RoleField = oneOf(roles)

const auditFilters = {
  actor_kind: Type.Optional(oneOf(['user', 'api_key', 'command', 'affiliate'])),
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  subject_id: Type.Optional(Id),
}

export const settingsSchemas = {
  listApiKeys: read(resultOf<{ data: ApiKeySummary[] }>()),
  exportApiKeys: file(),
  createApiKey: change(closed({ name: Name }), resultOf<{ id: number; key: string }>()),
  revokeApiKey: change(closed({}), Done),

  listTeam: read(resultOf<{ members: Member[]; invitations: Invitation[] }>()),
  exportTeam: file(),
  /** The link is given back only where no mail server would carry it to the person. */
  invite: change(closed({ email: Email, role: RoleField }), resultOf<{ id: number; link: string | null }>()),
  withdrawInvitation: change(closed({}), Done),
  changeRole: change(closed({ role: RoleField }), Done),
  removeMember: change(closed({}), Done),

  getAccount: read(resultOf<AccountSettings>()),
  updateAccount: change(closed({ name: Name }), resultOf<AccountSettings>()),
  getRails: read(resultOf<{ paypal: { client_id: string; updated_at: string } | null }>()),
  setPayPalCredentials: change(
    closed({
      client_id: Type.String({ minLength: 1, maxLength: 500 }),
      client_secret: Type.String({ minLength: 1, maxLength: 500 }),
    }),
    Done,
  ),
  listRates: read(
    resultOf<{ data: { base: string; quote: string; day: string; rate: string; source: string }[] }>(),
  ),
  exportRates: file(),
  listMails: read(resultOf<Page<MailSummary>>(), closed(pageQuery)),
  exportMails: file(),
  getMail: read(resultOf<MailSummary & { text_body: string; html_body: string }>()),

  listAuditLog: read(resultOf<Page<AuditEntry>>(), closed({ ...pageQuery, ...auditFilters })),
  exportAuditLog: file(closed(auditFilters)),
}
