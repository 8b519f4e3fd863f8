import { reasonText } from '../attribution.ts'
import { statement } from '../statement.ts'
import { days } from '../units.ts'

export const referrals = {
  title: 'Referrals',
  text: 'Customers you referred, and why each one is credited to you.',
  none: 'No referrals yet',
  noneText: 'Referrals appear here when someone signs up or buys through your link.',
  noEarnings: 'No commissions yet',
  why: 'Why is this credited to you?',
  rule: {
    last_click: 'The last click before the purchase is credited.',
    first_click: 'The first click within the attribution window is credited.',
  },
  manually: 'The company credited this customer to you.',
  coupon: 'Coupon codes take precedence over clicks.',
  window: (count: number) => `Attribution window: ${days(count)}.`,
  outcome: { won: 'Credited', lost: 'Not credited', dropped: 'Not valid' },
  mine: {
    coupon: 'Your coupon code',
    click: 'Click on your link',
    token: 'Your affiliate token',
  },
  others: {
    coupon: "Another affiliate's coupon code",
    click: "Click on another affiliate's link",
    token: "Another affiliate's token",
  },
  lost: 'Yours takes precedence',
  dropped: 'Not valid for this purchase',
  reason: reasonText,
  inReview: 'This referral is in review. Its commissions become payable once the company approves it.',
  rejected: 'The company rejected this referral, so it earns no commission.',
  rejectedBecause: (reason: string) => `Reason: ${reason}`,
  earned: 'Commissions',
  back: 'All referrals',
} as const

export const commissions = {
  title: 'Commissions',
  text: 'Everything added to or deducted from your balance.',
  none: 'No commissions yet',
  noneText: 'Commissions appear here when customers you referred make a purchase.',
  noResults: 'No results',
  all: 'All',
  status: 'Status',
  types: statement.entries,
  onHold: (date: string, relative: string) => `On hold, clears on ${date} (${relative})`,
  inReview: 'The referral is in review',
  reassigned: 'Taken back: the company credited this customer to another affiliate or campaign',
  clawback: 'The customer was fully or partly refunded',
  from: (amount: string) => `converted from ${amount}`,
} as const

export const payouts = {
  title: 'Payouts',
  text: 'Payouts sent to you.',
  none: 'No payouts yet',
  noneText: "Commissions are paid out together once they're payable and reach the minimum payout.",
  to: (address: string) => `To ${address}`,
  returned: 'Returned',
  failed: 'The money is still yours and will be included in the next payout.',
  statement: 'Statement',
  statementText: (zone: string) =>
    `All transactions with a running balance, up to the date you choose. All dates in ${zone}.`,
  asOf: 'As of',
  csv: 'Download CSV',
  pdf: 'Download PDF',
} as const
