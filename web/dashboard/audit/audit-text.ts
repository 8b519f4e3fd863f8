import type { AuditEntry } from '@tributary/contract/dashboard'
import { texts } from './en.ts'

const { actions, decisions } = texts

/** What was done. Names the decision where the details hold it. Actions of a later version keep their name. */
export function actionText({ action, details }: Pick<AuditEntry, 'action' | 'details'>): string {
  const outcomes: Record<string, string> =
    (Object.hasOwn(decisions, action) && decisions[action as keyof typeof decisions]) || {}
  const status = String(details.status)
  if (Object.hasOwn(outcomes, status)) return outcomes[status] as string
  return Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : action
}

/** The page that shows the subject, if it has one. */
export function subjectPage({
  action,
  subject_id: id,
}: Pick<AuditEntry, 'action' | 'subject_id'>): string | undefined {
  const [noun] = action.split('.')
  if (id === null) return undefined
  switch (noun) {
    case 'affiliate':
    case 'campaign':
    case 'referral':
    case 'commission':
    case 'payout':
      return `${noun}s/${id}`
    case 'delivery':
      return `webhooks/deliveries/${id}`
    case 'webhook_endpoint':
      return 'webhooks'
    case 'api_key':
      return 'settings/api-keys'
    case 'team':
      return 'settings/team'
    case 'portal':
      return 'settings/portal'
    case 'account':
      return 'settings/general'
    default:
      return undefined
  }
}

const SHORT_DETAILS = 60

/** The details on one line, truncated. */
export function shortDetails(details: AuditEntry['details']): string {
  const line = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  return line.length > SHORT_DETAILS ? `${line.slice(0, SHORT_DETAILS)}…` : line
}
