import type { Preset } from '@tributary/contract/dashboard/ranges'
import { count } from '../../ui/format.ts'

/** "1 result", "2,000 results". */
export const counted = (number: number, noun: string, plural = `${noun}s`) =>
  `${count(number)} ${number === 1 ? noun : plural}`

/** "$10.00 and $5.00". */
export const listed = (parts: string[]) => new Intl.ListFormat('en').format(parts)

/** Text that several areas of the dashboard use, in English. Each area has its own `en.ts` beside its pages. */
export const texts = {
  settingsSections: {
    general: 'General',
    apiKeys: 'API keys',
    team: 'Team',
    tracking: 'Tracking',
    portal: 'Branding and portal',
    payoutMethods: 'Payout methods',
    rates: 'FX rates',
    email: 'Email',
    profile: 'Profile',
  },
  actions: {
    cancel: 'Cancel',
    close: 'Close',
    copied: 'Copied',
    copy: (what: string) => `Copy ${what}`,
    discard: 'Discard',
    done: 'Done',
    exportCsv: 'Export CSV',
    save: 'Save',
    tryAgain: 'Try again',
  },
  states: {
    loading: 'Loading',
    failed: 'Something went wrong',
    notAllowed: "You don't have permission",
    /** In a cell or a fact without a value. */
    none: '–',
    noneYet: 'None yet',
    unreadable: "The file couldn't be read. Choose it again.",
    test: 'Test',
    testNeverPaid: 'Test: never paid',
  },
  /** Labels of columns and facts. */
  fields: {
    affiliate: 'Affiliate',
    amount: 'Amount',
    campaign: 'Campaign',
    created: 'Created',
    customer: 'Customer',
    date: 'Date',
    description: 'Description',
    reason: 'Reason',
    status: 'Status',
    type: 'Type',
  },
  payoutMethods: { manual: 'Manual', paypal: 'PayPal', sepa: 'SEPA', wise: 'Wise' },
  time: {
    zone: 'Time zone',
    noZone: 'No results',
    never: 'Never',
    justNow: 'just now',
    exact: (exact: string, relative: string) => `${exact} (${relative})`,
  },
  /** Where a visitor came from, and the values that are no names. */
  sources: {
    names: {
      link: 'Link',
      referrer: 'Referrer',
      utm_source: 'UTM source',
      utm_medium: 'UTM medium',
      utm_campaign: 'UTM campaign',
      sub_id: 'Sub-ID',
      landing_page: 'Landing page',
      device: 'Device',
      country: 'Country',
    },
    one: (name: string, value: string) => `${name}: ${value}`,
    values: {
      none: 'None',
      noClick: 'No click',
      unknown: 'Unknown',
      other: 'Other',
      devices: { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet' },
    },
  },
  ranges: {
    label: 'Range',
    custom: 'Custom',
    presets: {
      today: 'Today',
      yesterday: 'Yesterday',
      last7: 'Last 7 days',
      last30: 'Last 30 days',
      month: 'Month to date',
      lastMonth: 'Last month',
      quarter: 'Quarter to date',
      year: 'Year to date',
      last365: 'Last 365 days',
    } satisfies Record<Preset, string>,
    /** Below a list. */
    metrics: (from: string, to: string, zone: string) =>
      `Metrics from ${from} to ${to} (${zone}), without test data.`,
    /** Amounts of other currencies don't count for the order. */
    sortedIn: (currency: string) => `Sorted by amounts in ${currency}.`,
  },
  metrics: {
    clicks: 'Clicks',
    conversions: 'Conversions',
    conversionRate: 'Conversion rate',
    revenue: 'Revenue',
    commissions: 'Commissions',
    none: '–',
  },
  /** Titles of a number's link to what it counts. */
  counted: {
    referrals: 'View these referrals',
    commissions: 'View these commissions',
    sales: 'View these sales',
    clicks: 'View these clicks',
  },
  reporting: {
    note: (currency: string) => `Amounts in ${currency}, at the FX rate of their day.`,
    original: {
      revenue: (amounts: string[]) => `Original revenue: ${amounts.join(', ')}`,
      commissions: (amounts: string[]) => `Original commissions: ${amounts.join(', ')}`,
    },
    withoutRate: (amounts: string[]) => `without ${amounts.join(', ')}: no rate`,
  },
  performance: {
    title: 'Last 30 days',
    before: (value: string) => `Before: ${value}`,
    explore: 'Explore performance',
  },
  charts: {
    money: (revenue: string, commissions: string) =>
      revenue === commissions
        ? `Revenue and commissions (${revenue})`
        : `Revenue (${revenue}) and commissions (${commissions})`,
    traffic: 'Clicks and conversions',
    soFar: (step: string) => `${step} (so far)`,
    description: (title: string) => `${title}. Also available as a table.`,
  },
  table: {
    bulkHint: 'Select rows for bulk actions',
    selected: (number: number) => `${count(number)} selected`,
    selectAll: 'Select all rows',
    selectRow: (id: number) => `Select row ${id}`,
    showMore: 'Show more',
    noneSoFar: 'No results so far',
    noneSoFarText: 'Not all rows have been searched yet.',
    searchFurther: 'Search further',
    results: (number: number) => counted(number, 'result'),
  },
  filters: {
    search: 'Search',
    isCounted: 'Counted in Explore',
    filters: (active: number) => (active > 0 ? `Filters (${active})` : 'Filters'),
    any: 'Any',
    clear: 'Clear filters',
    clearOne: (label: string) => `Clear ${label}`,
    campaign: 'Campaign',
    archived: (campaign: string) => `${campaign} (archived)`,
    from: 'From',
    to: 'To',
    dayZone: (zone: string) => `Dates in ${zone}`,
    noMatch: 'Try changing or clearing the filters.',
  },
  review: {
    title: (verb: string, number: number, noun: string) => `${verb} ${counted(number, noun)}?`,
    confirm: (verb: string, number: number, noun: string) => `${verb} ${counted(number, noun)}`,
    /** `closed` says why the decision can't change the rest of the selection. */
    skipped: (number: number, noun: string, closed: string) =>
      `${counted(number, noun)} in your selection ${number === 1 ? 'is' : 'are'} ${closed} and won't change.`,
    noneOpen: (verb: string) => `${verb}: nothing to change`,
    reason: 'Reason (optional)',
    reasonHint: 'Recorded in the audit log.',
    shareReason: 'Show the reason to the affiliate',
    tooMany: (most: number) => `Select up to ${most} at a time.`,
    done: (number: number, noun: string, status: string) => `${counted(number, noun)} ${status}`,
    refused: (number: number, noun: string, status: string) => `${counted(number, noun)} not ${status}`,
    more: (number: number) => `And ${number} more.`,
    verbs: { approved: 'Approve', rejected: 'Reject', void: 'Void' },
    nouns: { affiliate: 'affiliate', commission: 'commission', referral: 'referral' },
    statuses: { approved: 'approved', rejected: 'rejected', void: 'voided' },
  },
  shownOnce: {
    title: 'Copy it now',
    note: (name: string) => `Store this ${name} securely; it won't be shown again.`,
  },
}
