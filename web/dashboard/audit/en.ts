import type { AuditEntry } from '@tributary/contract/dashboard'
import type { Action } from './action.ts'

const actors: Record<AuditEntry['actor_kind'], string> = {
  user: 'User',
  api_key: 'API key',
  command: 'Command line',
  affiliate: 'Affiliate',
}

const actions: Record<Action, string> = {
  'account.create': 'Created the account',
  'account.update': 'Updated the account',
  'affiliate.create': 'Added an affiliate',
  'affiliate.import': 'Imported affiliates',
  'affiliate.magic_link': 'Created a sign-in link for an affiliate',
  'affiliate.review': 'Approved or rejected affiliates',
  'affiliate.update': 'Updated an affiliate',
  'api_key.create': 'Created an API key',
  'api_key.revoke': 'Revoked an API key',
  'campaign.create': 'Created a campaign',
  'campaign.update': 'Updated a campaign',
  'commission.adjust': 'Adjusted a balance',
  'commission.repair': 'Repaired a commission',
  'commission.review': 'Approved or voided commissions',
  'delivery.redeliver': 'Redelivered a webhook event',
  'mail.read': 'Viewed an email to an affiliate',
  'payout.cancel': 'Canceled a payout',
  'payout.create': 'Created a payout',
  'payout.export': 'Downloaded a payment file',
  'payout.fail': 'Marked payments as failed',
  'payout.pay': 'Paid a payout',
  'portal.change_name': 'Changed their name',
  'portal.change_paypal': 'Changed their PayPal email',
  'portal.join': 'Joined a campaign',
  'portal.remove_logo': 'Removed the portal logo',
  'portal.set_logo': 'Changed the portal logo',
  'portal.update': 'Updated the portal settings',
  'rail.paypal': 'Changed the PayPal credentials',
  'referral.review': 'Approved or rejected referrals',
  'team.change_role': "Changed a team member's role",
  'team.invite': 'Invited a team member',
  'team.join': 'Joined the team',
  'team.remove': 'Removed a team member',
  'team.withdraw_invitation': 'Revoked an invitation',
  'webhook_endpoint.create': 'Added a webhook endpoint',
  'webhook_endpoint.delete': 'Deleted a webhook endpoint',
  'webhook_endpoint.replay': 'Replayed webhook events',
  'webhook_endpoint.switch': 'Enabled or disabled a webhook endpoint',
  'webhook_endpoint.test': 'Sent a test event',
}

export const texts = {
  title: 'Audit log',
  note: "Every change made in the dashboard, through the API or from the command line. Entries can't be edited or deleted.",
  columns: {
    time: 'Time',
    actor: 'Actor',
    action: 'Action',
    subject: 'Subject',
    details: 'Details',
    address: 'IP address',
  },
  actors,
  actions,
  /** The actions whose details hold the decision, by the decision's status. */
  decisions: {
    'affiliate.review': { approved: 'Approved affiliates', rejected: 'Rejected affiliates' },
    'commission.review': { approved: 'Approved commissions', void: 'Voided commissions' },
    'referral.review': { approved: 'Approved referrals', rejected: 'Rejected referrals' },
    'webhook_endpoint.switch': {
      active: 'Enabled a webhook endpoint',
      disabled: 'Disabled a webhook endpoint',
    },
  },
  onServer: 'On the server',
  noMatch: { title: 'No matching entries', text: 'Change or clear the filters.' },
  empty: {
    title: 'No changes yet',
    text: 'Changes by your team, your API keys and your affiliates appear here.',
  },
}
