import type { CheckOutcome } from './check-outcome.ts'

const outcomes: Record<Exclude<CheckOutcome, 'waiting'>, string> = {
  works: 'The script works',
  link_only: 'Click received, but not from the script yet',
  not_allowed: 'Click received from a site that isn’t allowed',
}

/** The tracking settings, in English. Code is in `backticks`. */
export const texts = {
  note: 'Records which affiliate link a visitor came from, and passes it on to your checkout.',
  docs: 'Tracking docs',
  script: {
    title: 'Script',
    note: 'Add it to every page where visitors may land or check out, before the closing `</head>` tag.',
    name: 'script',
    snippet: (url: string, slug: string) => `<script src="${url}" data-account="${slug}" async></script>`,
    checkout:
      'It adds the click ID to Stripe payment links, Stripe pricing tables and Paddle checkouts. For other checkouts, read `tributary.clickId()` and report it from your backend.',
  },
  verify: {
    title: 'Verify installation',
    note: 'Open one of your affiliate links in another tab. The click appears here within seconds.',
    start: 'Verify installation',
    stop: 'Stop',
    openLink: 'Open test link',
    testLink: (affiliate: string) => `Counts as a click of ${affiliate}.`,
    noLink: 'To get a test link, approve an affiliate in a campaign that has a destination URL.',
    waiting: 'Waiting for a click…',
    ended: 'No click for 5 minutes. Check that the script is on the page, then try again.',
    outcomes,
    works: (site: string) => `The script on ${site} reported a click, and the browser stored it.`,
    linkOnly: (site: string) =>
      `Someone followed a link to ${site}. If this doesn't change in a few seconds, the script isn't on the page, or the browser blocks it.`,
    notAllowed: (site: string) =>
      `The script runs on ${site}, but the browser didn't store the click: the site isn't in the list below.`,
    allow: (site: string) => `Allow ${site}`,
    recent: 'Recent clicks',
    none: 'No clicks yet',
    sources: { script: 'Script', link: 'Link only', not_allowed: 'Site not allowed', bot: 'Bot' },
  },
  sites: {
    title: 'Allowed sites',
    note: 'Where the script may store clicks. Includes subdomains and all ports.',
    campaigns: 'From your campaigns',
    noCampaigns: 'No campaign has a destination URL yet.',
    label: 'Other sites',
    hint: 'One per line, such as https://staging.example.com or http://localhost.',
    saved: 'Allowed sites saved',
    allowed: 'Site allowed',
  },
  cookies: {
    title: 'Cookies',
    label: 'Share cookies across subdomains',
    note: 'Keeps the credit when a visitor moves from www.example.com to app.example.com. Applies to new clicks.',
    saved: 'Cookie setting saved',
  },
  customers: {
    title: 'Customer data',
    label: 'Keep customers’ email addresses',
    note: 'Stores the addresses that conversions, billing events and `tributary.lead()` report, so that your team finds a customer by any part of the address. Affiliates never see them, and they are not in the API or webhooks.',
    off: 'Only hashes are stored, which recognize a complete address.',
    on: 'Addresses are kept from now on',
    erased: 'Addresses erased',
    dialog: 'Erase customers’ email addresses?',
    dialogNote:
      'All stored addresses of customers are erased, and new ones are no longer kept. This can’t be undone. Customers are then found by their reference, or by a complete address that the tracker reported.',
    erase: 'Erase addresses',
  },
}
