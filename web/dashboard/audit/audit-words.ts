import type { AuditEntry } from '@tributary/contract/dashboard'
import type { dashboardRoutes } from '@tributary/contract/dashboard/routes'

type Routes = typeof dashboardRoutes
type DashboardAction = {
  [Id in keyof Routes]: Routes[Id] extends readonly [...unknown[], infer A] ? A : never
}[keyof Routes]
type Permissions = 'read' | 'programme' | 'money' | 'settings' | 'team'

/** What is changed in other ways than by a call of the dashboard. */
type OtherAction =
  | 'account.create'
  | 'team.join'
  | 'affiliate.magic_link'
  | 'commission.repair'
  | 'portal.change_name'
  | 'portal.change_paypal'
  | 'portal.join'
type Action = Exclude<DashboardAction, Permissions> | OtherAction

/** Every action in words, as the end of a sentence that begins with who. */
export const actionWords: Record<Action, string> = {
  'account.create': 'opened the account',
  'account.update': 'changed the account',
  'affiliate.create': 'added an affiliate',
  'affiliate.import': 'imported affiliates',
  'affiliate.magic_link': 'made a sign-in link for an affiliate',
  'affiliate.review': 'approved or rejected affiliates',
  'affiliate.update': 'changed an affiliate',
  'api_key.create': 'created an API key',
  'api_key.revoke': 'revoked an API key',
  'campaign.create': 'opened a campaign',
  'campaign.update': 'changed a campaign',
  'commission.adjust': 'adjusted a balance',
  'commission.repair': 'repaired a commission',
  'commission.review': 'approved or voided commissions',
  'delivery.redeliver': 'sent a delivery once more',
  'mail.read': 'read a mail to an affiliate',
  'payout.cancel': 'canceled a payout',
  'payout.create': 'created a payout',
  'payout.export': 'exported a payout to pay from',
  'payout.fail': 'marked a payout failed',
  'payout.pay': 'paid a payout',
  'portal.change_name': 'changed their name',
  'portal.change_paypal': 'changed their PayPal address',
  'portal.join': 'joined a campaign',
  'portal.remove_logo': 'removed the portal’s logo',
  'portal.set_logo': 'changed the portal’s logo',
  'portal.update': 'changed the portal',
  'rail.paypal': 'set the PayPal credentials',
  'referral.review': 'approved or rejected referrals',
  'team.change_role': 'changed somebody’s role',
  'team.invite': 'invited somebody',
  'team.join': 'joined the team',
  'team.remove': 'removed somebody from the team',
  'team.withdraw_invitation': 'withdrew an invitation',
  'webhook_endpoint.create': 'added a webhook endpoint',
  'webhook_endpoint.delete': 'deleted a webhook endpoint',
  'webhook_endpoint.replay': 'replayed events',
  'webhook_endpoint.switch': 'enabled or disabled a webhook endpoint',
  'webhook_endpoint.test': 'sent a test event',
}

const isKnown = (action: string): action is Action => Object.hasOwn(actionWords, action)

const decidedNouns = new Map([
  ['webhook_endpoint.switch', 'a webhook endpoint'],
  ['referral.review', 'referrals'],
  ['affiliate.review', 'affiliates'],
  ['commission.review', 'commissions'],
])
const decidedVerbs = new Map<unknown, string>([
  ['active', 'enabled'],
  ['disabled', 'disabled'],
  ['approved', 'approved'],
  ['rejected', 'rejected'],
  ['void', 'voided'],
])

/** The action as a sentence's end; more exact where the details say which of two it was. */
export function wordsOf({ action, details }: Pick<AuditEntry, 'action' | 'details'>): string {
  const noun = decidedNouns.get(action)
  const verb = decidedVerbs.get(details.status)
  if (noun && verb) return `${verb} ${noun}`
  return isKnown(action) ? actionWords[action] : action
}

/** The page of what was changed; undefined where there is none of its own. */
export function placeOf({
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

/** The first of the details, in one line. */
export function shortDetails(details: AuditEntry['details']): string {
  const line = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  return line.length > SHORT_DETAILS ? `${line.slice(0, SHORT_DETAILS)}…` : line
}
