import { withoutHidden } from '@tributary/contract/one-line'
import type { Tx } from '../db/database.ts'
import { insertMail } from './mail.store.ts'
import { type Mail, renderMail, type Sender } from './render-mail.ts'

/** What stands in a header is one line, whatever somebody's name holds. */
const headerText = (text: string) => withoutHidden(text).replaceAll(/\s+/g, ' ')

/**
 * Writes a mail in the transaction of what it tells about; the service sends it afterwards. One without an account tells a person
 * about their own sign-in, and no account can read it.
 */
export const writeMail = (
  tx: Tx,
  accountId: number | null,
  to: string,
  mail: Mail,
  sender?: Sender,
): Promise<void> =>
  insertMail(tx, accountId, {
    kind: mail.kind,
    to,
    fromName: sender ? headerText(sender.name) : null,
    subject: headerText(mail.subject),
    ...renderMail(mail, sender),
  })
