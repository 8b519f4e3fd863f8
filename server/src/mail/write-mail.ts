import { withoutHidden } from '@tributary/contract/one-line'
import type { Tx } from '../db/database.ts'
import { insertMail } from './mail.store.ts'
import { type Mail, renderMail, type Sender } from './render-mail.ts'

/** Header values are a single line, whatever a name contains. */
const headerText = (text: string) => withoutHidden(text).replaceAll(/\s+/g, ' ')

const rendered = (to: string, mail: Mail, sender?: Sender) => ({
  kind: mail.kind,
  to,
  fromName: sender ? headerText(sender.name) : null,
  replyTo: mail.replyTo ?? null,
  unsubscribeUrl: mail.unsubscribe?.url,
  subject: headerText(mail.subject),
  ...renderMail(mail, sender),
})

/**
 * Queues an email in the transaction of its cause; the service sends it after the commit. An email without an account is about
 * a user's own sign-in, and is visible to no account.
 */
export const writeMail = (
  tx: Tx,
  accountId: number | null,
  to: string,
  mail: Mail,
  sender?: Sender,
): Promise<void> => insertMail(tx, accountId, rendered(to, mail, sender))

/** Queues an email that the account's server sends, and that its team must not be able to read. */
export const writeHiddenMail = (tx: Tx, accountId: number, to: string, mail: Mail): Promise<void> =>
  insertMail(tx, null, { ...rendered(to, mail), serverAccountId: accountId })
