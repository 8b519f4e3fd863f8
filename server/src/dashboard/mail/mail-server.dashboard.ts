import { type MailServerSettings, may, type Role } from '@tributary/contract/dashboard'
import { notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import {
  deleteMailServer,
  findMailServer,
  lockMailServer,
  type MailServerRow,
} from '../../mail/servers/mail-server.store.ts'
import { openAccess, setMailServer } from '../../mail/servers/mail-server.ts'
import { sendTestMail } from '../../mail/servers/send-test-mail.ts'
import { sendingServer } from '../../mail/servers/sending-server.ts'
import { findUserEmail } from '../../programme/team/user.store.ts'
import type { DashboardHandlers } from '../call.ts'

/** Everything but the password, which is never shown again. At some providers the user is the password too. */
function shown(secrets: SecretBox, row: MailServerRow, role: Role): MailServerSettings {
  const { password, user, ...access } = openAccess(secrets, row)
  return {
    ...access,
    user: may(role, 'team') ? user : null,
    from: row.from_address,
    updated_at: row.updated_at,
  }
}

export const mailServerDashboard: DashboardHandlers<
  'getMailServer' | 'setMailServer' | 'removeMailServer' | 'testMailServer'
> = {
  getMailServer: async ({ db, secrets, settings, accountId, role }) => {
    const row = await findMailServer(db, accountId)
    const used = await sendingServer(db, settings, accountId)
    return {
      source: used?.source ?? null,
      from: used?.from ?? null,
      server: row ? shown(secrets, row, role) : null,
    }
  },
  setMailServer: async ({ db, secrets, accountId, body, note }) => {
    if (body.user !== null) note({ user: '…' })
    await setMailServer(db, secrets, accountId, body)
    return {}
  },
  removeMailServer: ({ db, accountId }) =>
    db.transaction(async tx => {
      // A change that keeps the stored password would bring it back.
      await lockMailServer(tx, accountId)
      if (!(await deleteMailServer(tx, accountId))) throw notFound('SMTP server')
      return {}
    }),
  testMailServer: async ({ accountId, userId, note, ...services }) => {
    const to = await findUserEmail(services.db, userId)
    if (to === undefined) throw notFound('user')
    await sendTestMail(services, accountId, to)
    note({ to })
    return { to }
  },
}
