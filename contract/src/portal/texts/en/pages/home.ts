import { commissions, days } from '../units.ts'
import { money } from './shared.ts'

export const home = {
  title: 'Home',
  links: 'Your links',
  link: 'Your link',
  hello: (name: string) => `Hello, ${name}`,
  earned: 'Total earned',
  pending: money.pending,
  approved: money.approved,
  inPayout: money.processing,
  paid: money.paid,
  negative: 'Carried forward',
  negativeText:
    'Customers were refunded after you were paid. The amount is deducted from your next commissions.',
  credit: 'Credit',
  whyPending: 'Why is it pending?',
  clearsOn: (date: string, relative: string, count: number) =>
    `clears on ${date} (${relative}, ${commissions(count)})`,
  clearsBy: (date: string, relative: string, count: number) =>
    `clears by ${date} (${relative}, ${commissions(count)})`,
  moreHolds: (count: number) => `Show ${count} more`,
  hold: (count: number) => `Commissions are on hold for ${days(count)} after the sale in case of a refund.`,
  inReview: 'in review by the company',
  noAddress: 'Add your PayPal address to get paid.',
  toSettings: 'Go to settings',
  belowMinimum: (rest: string, minimum: string) =>
    `${rest} to go until the minimum payout of ${minimum}. Your balance rolls over until then.`,
  next: (amount: string) => `${amount} will be included in the next payout.`,
  awaitingRate: (count: number) =>
    count === 1
      ? '1 sale is missing an exchange rate. It earns commission as soon as the rate is available.'
      : `${count} sales are missing an exchange rate. They earn commission as soon as the rate is available.`,
  chart: 'Performance',
  clicks: 'Clicks',
  conversions: 'Conversions',
  earnings: 'Commissions',
  period: 'Period',
  periods: { 7: '7 days', 30: '30 days', 90: '90 days', 365: '1 year' },
  soFar: (day: string) => `${day} (so far)`,
  step: (day: string, value: string) => `${day}: ${value}`,
  total: (what: string, total: string, period: string) => `${what}, ${period}: ${total}`,
  emptyTitle: 'No commissions yet',
  empty: 'Share your link to start earning.',
  nothingFrom: (campaigns: string[]) => `No commissions yet from ${campaigns.join(', ')}.`,
  noData: 'No data for this period',
  zone: (zone: string) => `All dates in ${zone}.`,
  toLinks: 'Get your link',
} as const
