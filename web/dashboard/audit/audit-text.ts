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
  // Only one of each, so they need no ID.
  if (noun === 'rail') return 'settings/payout-rails'
  if (noun === 'portal') return 'settings/portal'
  if (noun === 'mail_server' || noun === 'mail_template') return 'settings/mail'
  if (noun === 'tracking') return 'settings/tracking'
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
    case 'account':
      return 'settings/general'
    default:
      return undefined
  }
}

/** Where an actor is managed; undefined for the command line. */
export function actorPage(kind: AuditEntry['actor_kind'], id: number | null): string | undefined {
  switch (kind) {
    case 'user':
      return 'settings/team'
    case 'api_key':
      return 'settings/api-keys'
    case 'affiliate':
      return id === null ? undefined : `affiliates/${id}`
    default:
      return undefined
  }
}
