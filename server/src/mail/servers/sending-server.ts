import type { Settings } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import { findMailServer, findOnlyMailServer, type MailServerRow } from './mail-server.store.ts'

export type MailSettings = Pick<
  Settings,
  'TRIBUTARY_SMTP_URL' | 'TRIBUTARY_MAIL_FROM' | 'TRIBUTARY_WEBHOOK_ALLOW_CIDRS' | 'NODE_ENV'
>

/** What sends an account's emails, or those of no account: the environment's server comes first. */
export type SendingServer =
  | { source: 'environment'; url: string; from: string }
  | { source: 'account'; row: MailServerRow; from: string }

export async function sendingServer(
  db: Db,
  { TRIBUTARY_SMTP_URL: url, TRIBUTARY_MAIL_FROM: from }: MailSettings,
  accountId: number | null,
): Promise<SendingServer | undefined> {
  if (url !== undefined) return { source: 'environment', url, from }
  const row = await (accountId === null ? findOnlyMailServer(db) : findMailServer(db, accountId))
  return row && { source: 'account', row, from: row.from_address }
}

/** The sender of an account's emails; null while none can be sent. */
export const mailFrom = async (
  db: Db,
  settings: MailSettings,
  accountId: number | null,
): Promise<string | null> => (await sendingServer(db, settings, accountId))?.from ?? null
