import type { TemplateKind } from '@tributary/contract/dashboard'
import { emails } from '@tributary/contract/portal/texts'

const company = '{{company}}'
const campaign = '{{campaign}}'
const amount = '{{amount}}'

const of = (subject: string, lines: readonly string[]) => ({ subject, body: lines.join('\n\n') })

/** The emails whose text depends on the affiliate's status, and the status that the editable one is for. The others keep the default. */
export const templateStatuses: Partial<Record<string, string>> = {
  invitation: 'approved',
  joined: 'pending',
} satisfies Partial<Record<TemplateKind, string>>

/** The texts that come with the program, as templates: where a text depends on the case, its most frequent form. */
export const defaultTemplates: Record<TemplateKind, { subject: string; body: string }> = {
  sign_in_link: of(emails.sign_in_link.subject(company), emails.sign_in_link.lines(company)),
  invitation: of(emails.invitation.subject(company), emails.invitation.approved(company)),
  confirm_join: of(emails.confirm_join.subject(company), emails.confirm_join.lines(company, campaign)),
  joined: of(emails.joined.subject(company), emails.joined.pending(company, campaign)),
  approved: of(emails.approved.subject(company), emails.approved.lines(company)),
  rejected: of(emails.rejected.subject(company), emails.rejected.lines(company, '{{reason}}')),
  first_commission: of(
    emails.first_commission.subject(),
    emails.first_commission.lines(company, amount, '{{clears_on}}'),
  ),
  payout_sent: of(
    emails.payout_sent.subject(amount),
    emails.payout_sent.lines(company, amount, '{{address}}'),
  ),
  payout_failed: of(
    emails.payout_failed.subject(amount),
    emails.payout_failed.lines(company, amount, '{{reason}}'),
  ),
}
