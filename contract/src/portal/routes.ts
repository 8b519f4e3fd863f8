/** A call of the portal: method, path, required caller, and the audit log action if it changes something. */
export type PortalRoute = readonly [
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  caller: 'public' | 'affiliate',
  action?: string,
]

/** Every call that the portal's pages make, below `{portal}/api/`. Without schemas, to keep them out of the pages' bundle. */
export const portalRoutes = {
  requestSignInLink: ['POST', 'sign-in-links', 'public'],
  requestToJoin: ['POST', 'joins', 'public'],
  getJoinForm: ['GET', 'join_forms/{id}', 'public'],

  getMe: ['GET', 'me', 'affiliate'],
  updateMe: ['PATCH', 'me', 'affiliate', 'portal.change_name'],
  changePayPal: ['POST', 'me/paypal', 'affiliate', 'portal.change_paypal'],
  changeLeaderboardName: ['POST', 'me/leaderboard_name', 'affiliate', 'portal.change_leaderboard_name'],
  subscribeToDigest: ['POST', 'me/digest', 'affiliate', 'portal.subscribe_to_digest'],
  signOut: ['DELETE', 'session', 'affiliate'],
  signOutEverywhere: ['DELETE', 'sessions', 'affiliate'],

  getHome: ['GET', 'home', 'affiliate'],
  getLeaderboard: ['GET', 'leaderboard', 'affiliate'],
  listLinks: ['GET', 'links', 'affiliate'],
  drawLink: ['GET', 'links/{id}/qr.svg', 'affiliate'],
  listCreatives: ['GET', 'creatives', 'affiliate'],
  downloadCreative: ['GET', 'creatives/{id}/file', 'affiliate'],
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
