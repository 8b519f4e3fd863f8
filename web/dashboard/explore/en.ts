import { count } from '../../ui/format.ts'
import { counted, texts as sharedTexts } from '../shared/en.ts'

export const texts = {
  title: 'Explore',
  note: (zone: string) => `All dates in ${zone}. Test data excluded.`,
  views: { performance: 'Performance', cohorts: 'Cohorts', sales: 'Sales', clicks: 'Clicks' },
  rows: {
    salesNote: 'Sales of referred customers. A search of all sales finds unattributed ones too.',
    searchAll: { sales: 'Search all sales', clicks: 'Search all clicks' },
    searchHint: { sales: 'Sale ID, customer, email…', clicks: 'Landing page or referrer' },
    noConversion: 'No conversion reported',
    beforeConversion: 'Before the conversion',
    isPartial: 'Many customers or sales match: older ones are left out. Type more to narrow the search.',
    clicksNote: 'Clicks are deleted after their retention period. Their counts stay in Explore.',
    columns: {
      externalId: 'External ID',
      refunded: 'Refunded',
      counts: 'In reports',
      source: 'Source',
      bot: 'Bot',
    },
    ad: (parameter: string) => `Ad (${parameter})`,
    saleStatus: {
      counted: 'Counted',
      test: 'Test',
      rejected: 'Rejected',
      replaced: 'Replaced',
      unattributed: 'Unattributed',
    },
    empty: {
      sales: { title: 'No sales yet', text: 'Sales appear here when a referred customer pays.' },
      clicks: {
        title: 'No clicks yet',
        text: "Clicks appear here when visitors follow an affiliate's link.",
      },
      action: 'Set up tracking',
      filtered: { sales: 'No matching sales', clicks: 'No matching clicks' },
    },
  },
  cohorts: {
    view: 'Show',
    views: { value: 'Revenue per customer', buyers: 'Customers who bought' },
    months: { label: 'First sale in', option: (months: number) => `Last ${months} months` },
    columns: {
      cohort: 'First sale',
      customers: 'Customers',
      since: (months: number) => (months === 0 ? 'Month 0' : `+${months}`),
    },
    unfinished: (value: string) => `${value}*`,
    cell: (of: {
      cohort: string
      since: number
      value: string
      buyers: number
      customers: number
      share: string
      original: string | undefined
      isUnfinished: boolean
    }) =>
      [
        of.since === 0 ? `${of.cohort}, first month` : `${of.cohort}, ${counted(of.since, 'month')} later`,
        `: ${of.value} revenue per customer so far; ${count(of.buyers)} of ${counted(of.customers, 'customer')} bought (${of.share}).`,
        of.original ? ` ${of.original}.` : '',
        of.isUnfinished ? ' This month isn’t over.' : '',
      ].join(''),
    note: {
      value: 'Revenue without refunds, added up since the first sale, for each customer of the month.',
      buyers: 'The share of customers with a sale in that month.',
    },
    unfinishedNote: "* This month isn't over yet, so its numbers will grow.",
    converted: (currency: string) => `Amounts in ${currency}, at the FX rate of each month's last day.`,
    withoutRate: (currencies: string[]) => `Without amounts in ${currencies.join(', ')}: no rate.`,
    leftOut: (currencies: string[]) =>
      `Without amounts in ${currencies.join(', ')}: choose a reporting currency in Settings to include them.`,
    emptyNote: 'Cohorts appear with the first sale of a referred customer.',
    emptyAction: (months: number) => `Show the last ${months} months`,
  },
  compare: {
    label: 'Compare with',
    options: { period: 'Prior period', year: 'Prior year' },
    with: (from: string, to: string) => `Compared with ${from} to ${to}.`,
    unfinished: "Today isn't over yet, so its numbers will grow.",
  },
  by: {
    label: 'Break down by',
    options: {
      day: 'Day',
      week: 'Week',
      month: 'Month',
      campaign: 'Campaign',
      affiliate: 'Affiliate',
      ...sharedTexts.sources.names,
    },
  },
  metrics: {
    ...sharedTexts.metrics,
    uniqueClicks: 'Unique clicks',
    leads: 'Leads',
    customers: 'New customers',
    averageOrder: 'Average order',
    refundRate: 'Refund rate',
    commissionShare: 'Commission share',
    epc: 'Earnings per click',
    activeAffiliates: 'Active affiliates',
  },
  charts: {
    steps: { day: 'Daily', week: 'Weekly', month: 'Monthly' },
    ofCurrency: (step: string, currencies: string[]) =>
      `${step}. ${currencies.join(', ')} only in the table.`,
  },
  weekOf: (day: string) => `Week of ${day}`,
  total: 'Total',
  filterBy: (name: string) => `Show ${name} only`,
  sources: (isCrossed: boolean) =>
    [
      'Conversions and amounts count for the click that won the customer. Those by coupon code, token or manual credit have no click.',
      isCrossed ? ' Clicks of an affiliate or source count here as long as they’re stored.' : '',
    ].join(''),
  notBySource: 'Break down by affiliate',
  empty: 'No data for this period',
  emptyNote: 'Clicks, conversions and commissions appear here. Choose a longer range, or clear the filters.',
  emptyAction: 'Show the last 365 days',
  leftOut: (number: number) => `And ${counted(number, 'more row')}, included in the total.`,
}
