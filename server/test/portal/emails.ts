import pino, { type Logger } from 'pino'
import type { Db } from '../../src/db/database.ts'
import { writeNotices } from '../../src/portal/notices/write-notices.ts'
import type { Scene } from '../harness.ts'

export interface Email {
  id: number
  kind: string
  to_address: string
  from_name: string | null
  subject: string
  text_body: string
  html_body: string
}

/** What the service does every second: renders notices into emails. */
export const write = (
  { database, app }: Pick<Scene, 'database' | 'app'>,
  log: Logger = pino({ level: 'fatal' }),
  db: Db = database.db,
): Promise<void> => writeNotices(db, { baseUrl: app.services.baseUrl, log, setAside: new Set() })

/** What is noted and not written yet, as kinds, the oldest first. */
export async function noted({ database, account }: Pick<Scene, 'database' | 'account'>): Promise<string[]> {
  const { rows } = await database.owner.query('SELECT kind FROM notices WHERE account_id = $1 ORDER BY id', [
    account.id,
  ])
  return rows.map(({ kind }) => kind)
}

/** The account's emails, oldest first; of one recipient if an address is given. */
export async function emails(
  { database, account }: Pick<Scene, 'database' | 'account'>,
  to?: string,
): Promise<Email[]> {
  const { rows } = await database.owner.query(
    `SELECT id::integer, kind, to_address, from_name, subject, text_body, html_body FROM mails
      WHERE account_id = $1 AND ($2::text IS NULL OR to_address = $2) ORDER BY id`,
    [account.id, to],
  )
  return rows
}

/** The target of an email's button, as a path of the service. */
export function linkIn({ text_body }: Pick<Email, 'text_body'>): string {
  const [, path] = /https:\/\/programme\.example(\S+)/.exec(text_body) ?? []
  if (path === undefined) throw new Error(`There is no link in: ${text_body}`)
  return path
}
