import type { MailSecurity, SetMailServer } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { findMailServer, lockMailServer, type MailServerRow, upsertMailServer } from './mail-server.store.ts'

/** The part that is sealed. */
export interface SmtpAccess {
  host: string
  port: number
  security: MailSecurity
  user: string | null
  password: string | null
}

export const openAccess = (secrets: SecretBox, { account_id, sealed }: MailServerRow): SmtpAccess =>
  JSON.parse(secrets.open('mail server', account_id, sealed))

/**
 * Stores an account's SMTP server. The stored password stays only for the same server and user: otherwise an owner who
 * doesn't know the password could have it sent to a server of theirs.
 */
export function setMailServer(
  db: Db,
  secrets: SecretBox,
  accountId: number,
  { from, password, ...target }: SetMailServer,
): Promise<void> {
  return db.transaction(async tx => {
    await lockMailServer(tx, accountId)
    const row = await findMailServer(tx, accountId)
    const stored = row && openAccess(secrets, row)
    const isSame =
      stored !== undefined &&
      (['host', 'port', 'security', 'user'] as const).every(name => stored[name] === target[name])
    if (target.user === null && password !== undefined) throw invalid('user', 'is required with a password')
    if (target.user !== null && password === undefined && !(isSame && stored?.password !== null))
      throw invalid('password', 'is required: enter it again after changing the server or the user')
    const kept = isSame ? (stored?.password ?? null) : null
    const access: SmtpAccess = { ...target, password: target.user === null ? null : (password ?? kept) }
    const sealed = secrets.seal('mail server', accountId, JSON.stringify(access))
    await upsertMailServer(tx, accountId, { from, sealed })
  })
}
