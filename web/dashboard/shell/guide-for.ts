/** The guide about each page, by the page's first part. */
const guides: Record<string, string> = {
  overview: 'dashboard',
  explore: 'dashboard#explore',
  affiliates: 'dashboard#working-with-one-affiliate',
  campaigns: 'concepts',
  creatives: 'portal#creatives',
  referrals: 'concepts#attribution',
  signals: 'dashboard#fraud-signals',
  commissions: 'concepts#ledger',
  payouts: 'payouts',
  billing: 'billing',
  webhooks: 'webhooks',
}

/** The guide about each part of the settings. */
const settings: Record<string, string> = {
  general: 'dashboard#time-zone',
  'api-keys': 'api#authentication',
  tracking: 'tracking',
  team: 'dashboard#users-and-roles',
  portal: 'portal',
  mail: 'portal#emails',
  'payout-rails': 'payouts',
}

/** The guide about a path such as `/acme/payouts/7`. */
export function guideFor(path: string): string {
  const [, , page = '', part = ''] = path.split('/')
  const name = (page === 'settings' ? settings[part] : guides[page]) ?? 'dashboard'
  return `/docs/${name}`
}
