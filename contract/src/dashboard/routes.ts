import type { Permission } from './permissions.ts'

/** A call of the dashboard: method, path below the account, required permission, and the audit log action. */
export type DashboardRoute = readonly [
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  permission: Permission,
  action?: string,
]

/**
 * Every call that the dashboard makes on an account, below `/dashboard/api/accounts/{account}/`. Without schemas, to keep them out
 * of the pages' bundle. Every change has an action, and so has reading an email: without an SMTP server, it may still contain an
 * affiliate's sign-in link.
 */
export const dashboardRoutes = {
  getOverview: ['GET', 'overview', 'read'],
  search: ['GET', 'search', 'read'],

  listAffiliates: ['GET', 'affiliates', 'read'],
  exportAffiliates: ['GET', 'affiliates.csv', 'read'],
  getAffiliate: ['GET', 'affiliates/{id}', 'read'],
  createAffiliate: ['POST', 'affiliates', 'programme', 'affiliate.create'],
  updateAffiliate: ['PATCH', 'affiliates/{id}', 'programme', 'affiliate.update'],
  reviewAffiliates: ['POST', 'affiliates/review', 'programme', 'affiliate.review'],
  importAffiliates: ['POST', 'affiliates/import', 'programme', 'affiliate.import'],
  downloadStatement: ['GET', 'affiliates/{id}/statement.csv', 'read'],
  inviteAffiliate: ['POST', 'affiliates/{id}/invite', 'programme', 'affiliate.invite'],
  createSignInLink: ['POST', 'affiliates/{id}/sign_in_link', 'programme', 'affiliate.magic_link'],
  viewAsAffiliate: ['POST', 'affiliates/{id}/view', 'programme', 'affiliate.view_as'],
  messageAffiliate: ['POST', 'affiliates/{id}/message', 'programme', 'affiliate.message'],
  listNotes: ['GET', 'affiliates/{id}/notes', 'read'],
  addNote: ['POST', 'affiliates/{id}/notes', 'programme', 'affiliate.add_note'],
  deleteNote: ['DELETE', 'affiliates/{id}/notes', 'programme', 'affiliate.delete_note'],

  listCampaigns: ['GET', 'campaigns', 'read'],
  exportCampaigns: ['GET', 'campaigns.csv', 'read'],
  getCampaign: ['GET', 'campaigns/{id}', 'read'],
  createCampaign: ['POST', 'campaigns', 'programme', 'campaign.create'],
  updateCampaign: ['PATCH', 'campaigns/{id}', 'programme', 'campaign.update'],
  setCampaignStatus: ['POST', 'campaigns/{id}/status', 'programme', 'campaign.set_status'],

  listReferrals: ['GET', 'referrals', 'read'],
  exportReferrals: ['GET', 'referrals.csv', 'read'],
  getReferral: ['GET', 'referrals/{id}', 'read'],
  reviewReferrals: ['POST', 'referrals/review', 'programme', 'referral.review'],
  recordSale: ['POST', 'referrals/{id}/sales', 'money', 'referral.record_sale'],
  recordRefund: ['POST', 'referrals/{id}/refunds', 'money', 'referral.record_refund'],
  listUnattributed: ['GET', 'conversions/unattributed', 'read'],
  exportUnattributed: ['GET', 'conversions/unattributed.csv', 'read'],

  listCommissions: ['GET', 'commissions', 'read'],
  exportCommissions: ['GET', 'commissions.csv', 'read'],
  getCommission: ['GET', 'commissions/{id}', 'read'],
  reviewCommissions: ['POST', 'commissions/review', 'money', 'commission.review'],
  adjustBalance: ['POST', 'commissions/adjust', 'money', 'commission.adjust'],

  listPayouts: ['GET', 'payouts', 'read'],
  exportPayouts: ['GET', 'payouts.csv', 'read'],
  previewPayout: ['GET', 'payouts/preview', 'read'],
  exportPreview: ['GET', 'payouts/preview.csv', 'read'],
  getPayout: ['GET', 'payouts/{id}', 'read'],
  listPayoutItems: ['GET', 'payouts/{id}/items', 'read'],
  exportPayoutItems: ['GET', 'payouts/{id}/items.csv', 'read'],
  createPayout: ['POST', 'payouts', 'money', 'payout.create'],
  payPayout: ['POST', 'payouts/{id}/pay', 'money', 'payout.pay'],
  failPayout: ['POST', 'payouts/{id}/fail', 'money', 'payout.fail'],
  cancelPayout: ['POST', 'payouts/{id}/cancel', 'money', 'payout.cancel'],
  retryPayments: ['POST', 'payouts/{id}/retry', 'money', 'payout.retry'],
  payFailedPayments: ['POST', 'payouts/{id}/pay_failed', 'money', 'payout.pay_failed'],
  exportPayout: ['POST', 'payouts/{id}/file.csv', 'money', 'payout.export'],

  listWebhookEndpoints: ['GET', 'webhook_endpoints', 'read'],
  exportWebhookEndpoints: ['GET', 'webhook_endpoints.csv', 'read'],
  createWebhookEndpoint: ['POST', 'webhook_endpoints', 'settings', 'webhook_endpoint.create'],
  switchWebhookEndpoint: ['POST', 'webhook_endpoints/{id}/switch', 'settings', 'webhook_endpoint.switch'],
  deleteWebhookEndpoint: ['DELETE', 'webhook_endpoints/{id}', 'settings', 'webhook_endpoint.delete'],
  sendTestEvent: ['POST', 'webhook_endpoints/{id}/test', 'settings', 'webhook_endpoint.test'],
  replayEvents: ['POST', 'webhook_endpoints/{id}/replay', 'settings', 'webhook_endpoint.replay'],
  listDeliveries: ['GET', 'deliveries', 'read'],
  exportDeliveries: ['GET', 'deliveries.csv', 'read'],
  getDelivery: ['GET', 'deliveries/{id}', 'read'],
  redeliver: ['POST', 'deliveries/{id}/redeliver', 'settings', 'delivery.redeliver'],

  listApiKeys: ['GET', 'api_keys', 'settings'],
  exportApiKeys: ['GET', 'api_keys.csv', 'settings'],
  createApiKey: ['POST', 'api_keys', 'settings', 'api_key.create'],
  revokeApiKey: ['POST', 'api_keys/{id}/revoke', 'settings', 'api_key.revoke'],

  listTeam: ['GET', 'team', 'read'],
  exportTeam: ['GET', 'team.csv', 'read'],
  invite: ['POST', 'team/invitations', 'team', 'team.invite'],
  withdrawInvitation: ['DELETE', 'team/invitations/{id}', 'team', 'team.withdraw_invitation'],
  changeRole: ['PATCH', 'team/members/{id}', 'team', 'team.change_role'],
  removeMember: ['DELETE', 'team/members/{id}', 'team', 'team.remove'],

  getAccount: ['GET', 'account', 'read'],
  updateAccount: ['PATCH', 'account', 'settings', 'account.update'],
  getPortal: ['GET', 'portal', 'read'],
  updatePortal: ['PATCH', 'portal', 'settings', 'portal.update'],
  setLogo: ['POST', 'portal/logo', 'settings', 'portal.set_logo'],
  removeLogo: ['DELETE', 'portal/logo', 'settings', 'portal.remove_logo'],

  getRails: ['GET', 'rails', 'settings'],
  setPayPalCredentials: ['POST', 'rails/paypal', 'settings', 'rail.paypal'],
  listRates: ['GET', 'fx_rates', 'read'],
  exportRates: ['GET', 'fx_rates.csv', 'read'],
  listMails: ['GET', 'mails', 'settings'],
  exportMails: ['GET', 'mails.csv', 'settings'],
  getMail: ['GET', 'mails/{id}', 'settings', 'mail.read'],

  listAuditLog: ['GET', 'audit_log', 'read'],
  exportAuditLog: ['GET', 'audit_log.csv', 'read'],
} as const satisfies Record<string, DashboardRoute>

export type DashboardRouteId = keyof typeof dashboardRoutes
