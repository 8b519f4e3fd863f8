import { days, months } from '../units.ts'

export const nav = {
  home: 'Home',
  links: 'Links',
  referrals: 'Referrals',
  commissions: 'Commissions',
  payouts: 'Payouts',
  settings: 'Settings',
  main: 'Main',
  skip: 'Skip to content',
} as const

/** The banner of a view by the company's team. */
export const view = {
  label: 'Viewing as an affiliate',
  text: (affiliate: string, until: string) =>
    `You're viewing the portal as ${affiliate}. Read-only until ${until}.`,
  exit: 'Exit',
} as const

export const common = {
  loading: 'Loading',
  failed: 'Something went wrong',
  retry: 'Try again',
  more: 'Show more',
  copy: 'Copy',
  copied: 'Copied',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved',
  customer: (id: number) => `Customer ${id}`,
  notFound: 'Page not found',
  notFoundText: 'Check the address or go to the home page.',
  goHome: 'Go to home page',
  terms: 'Terms',
} as const

export const status = {
  pending: 'Pending',
  approved: 'Approved',
  paid: 'Paid',
  void: 'Void',
  pending_review: 'In review',
  rejected: 'Rejected',
  processing: 'Processing',
  failed: 'Failed',
  canceled: 'Canceled',
} as const

/** Where an affiliate's money is: the same words for a sum and for a single commission. */
export const money = {
  pending: 'Pending',
  approved: 'Payable',
  processing: 'Processing',
  paid: 'Paid',
  void: 'Void',
} as const

/** What a rule pays: always, for the first sale of a customer, or for a number of months. */
export const reward = {
  percent: {
    always: (rate: string) => `${rate} of every customer payment`,
    first: (rate: string) => `${rate} of each customer's first payment`,
    months: (rate: string, count: number) => `${rate} of each customer's payments for ${months(count)}`,
  },
  flat: {
    always: (amount: string) => `${amount} per customer payment`,
    first: (amount: string) => `${amount} per new customer`,
    months: (amount: string, count: number) => `${amount} per customer payment for ${months(count)}`,
  },
  credit: (what: string) => `${what}, as credit`,
  friend: (what: string) => `your friend gets ${what}`,
} as const

export const terms = {
  window: (count: number) => `${count}-day attribution window.`,
  hold: (count: number) =>
    count === 0 ? 'Commissions clear immediately.' : `Commissions clear after ${days(count)}.`,
  minimum: (amount: string) => `Minimum payout: ${amount}.`,
  noPaidSearch: "Ads in search engines aren't allowed.",
} as const
