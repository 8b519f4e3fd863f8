/** A call of the portal: method, path, whether a session is needed, and its name in the audit log where it changes something. */
export type PortalRoute = readonly [
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  caller: 'anybody' | 'affiliate',
  action?: string,
]

/**
 * Every call that the portal's pages make, below `{portal}/api/`. Plain data without schemas, so that the pages can use it
 * without carrying the schemas to every phone.
 */
export const portalRoutes = {
  askForLink: ['POST', 'sign-in-links', 'anybody'],
  askToJoin: ['POST', 'joins', 'anybody'],

  getMe: ['GET', 'me', 'affiliate'],
  updateMe: ['PATCH', 'me', 'affiliate', 'portal.change_name'],
  changePayPal: ['POST', 'me/paypal', 'affiliate', 'portal.change_paypal'],
  signOut: ['DELETE', 'session', 'affiliate'],
  signOutEverywhere: ['DELETE', 'sessions', 'affiliate'],

  getHome: ['GET', 'home', 'affiliate'],
  listLinks: ['GET', 'links', 'affiliate'],
  drawLink: ['GET', 'links/{id}/qr.svg', 'affiliate'],
  listReferrals: ['GET', 'referrals', 'affiliate'],
  getReferral: ['GET', 'referrals/{id}', 'affiliate'],
  listCommissions: ['GET', 'commissions', 'affiliate'],
  listPayouts: ['GET', 'payouts', 'affiliate'],
  downloadStatement: ['GET', 'statement.csv', 'affiliate'],
  printStatement: ['GET', 'statement.pdf', 'affiliate'],

  listCampaigns: ['GET', 'campaigns', 'affiliate'],
  joinCampaign: ['POST', 'campaigns/{id}/join', 'affiliate', 'portal.join'],
} as const satisfies Record<string, PortalRoute>

export type PortalRouteId = keyof typeof portalRoutes
