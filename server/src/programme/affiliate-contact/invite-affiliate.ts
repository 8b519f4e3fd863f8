import { emails } from '@tributary/contract/portal/texts'
import type { Services } from '../../db/services.ts'
import { invalidState } from '../../kit/domain-error.ts'
import { hasRecentMail } from '../../mail/mail.store.ts'
import { withTemplate } from '../../mail/templates/use-template.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { issueMagicLink, rejectedCannotSignIn } from '../magic-links/mint-magic-link.ts'
import { reachableAffiliate } from './reachable-affiliate.ts'

/** As long as an invitation to the team: it may be read after a weekend. */
const LINK_DAYS = 7
const MINUTES_BETWEEN = 1
const KIND = 'invitation'

/** Emails the affiliate a sign-in link. A second request within a minute is refused: two people may click at the same time. */
export function inviteAffiliate(services: Services, accountId: number, id: number): Promise<{ to: string }> {
  return services.db.transaction(async tx => {
    const { email, name, status, portal, sender } = await reachableAffiliate(tx, services, accountId, id)
    if (status === 'rejected') throw rejectedCannotSignIn()
    if (await hasRecentMail(tx, accountId, { kind: KIND, to: email, minutes: MINUTES_BETWEEN }))
      throw invalidState(`An invitation was sent to ${email} less than a minute ago.`)
    const token = await issueMagicLink(tx, accountId, id, LINK_DAYS * 86_400)
    const { subject, action, note, ...lines } = emails.invitation
    const mail = {
      kind: KIND,
      subject: subject(sender.name),
      lines: lines[status](sender.name),
      // A page with a button: mail scanners follow links and run scripts before the recipient does.
      action: { label: action, url: `${portal}/enter/${token}` },
      note: note(LINK_DAYS, portal),
    }
    const values = { company: sender.name, affiliate: name ?? email }
    const own = await withTemplate(tx, accountId, { kind: KIND, status }, mail, values)
    await writeMail(tx, accountId, email, own, sender)
    return { to: email }
  })
}
