import type { Services } from '../../db/services.ts'
import { invalid, invalidState } from '../../kit/domain-error.ts'
import { hasRecentMail } from '../../mail/mail.store.ts'
import { type Mail, renderMail } from '../../mail/render-mail.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { findUserEmail } from '../team/user.store.ts'
import { reachableAffiliate } from './reachable-affiliate.ts'

const KIND = 'message'
/** A retry of the same message within this time is refused. */
const MINUTES_SAME = 10

/** Emails a message in the company's name; replies go to the user who wrote it. */
export function messageAffiliate(
  services: Services,
  accountId: number,
  id: number,
  { subject, text, userId }: { subject: string; text: string; userId: number },
): Promise<{ to: string }> {
  if (text.trim() === '') throw invalid('text', 'must not be blank')
  return services.db.transaction(async tx => {
    const { email, sender } = await reachableAffiliate(tx, services, accountId, id)
    const replyTo = await findUserEmail(tx, userId)
    const mail: Mail = { kind: KIND, subject, lines: paragraphsOf(text), ...(replyTo && { replyTo }) }
    const sent = { kind: KIND, to: email, minutes: MINUTES_SAME, text: renderMail(mail, sender).text }
    if (await hasRecentMail(tx, accountId, sent))
      throw invalidState(`The same message was sent to ${email} in the last ${MINUTES_SAME} minutes.`)
    await writeMail(tx, accountId, email, mail, sender)
    return { to: email }
  })
}

/** Blank lines separate paragraphs. Forms submit line breaks as CR LF. */
const paragraphsOf = (text: string) =>
  text
    .replaceAll('\r', '')
    .trim()
    .split(/\n{2,}/)
