import { counted, texts as sharedTexts } from '../shared/en.ts'

export const texts = {
  title: 'Explore',
  note: (zone: string) => `All dates in ${zone}. Test data excluded.`,
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
      referrer: 'Referrer',
      utm_source: 'UTM source',
      utm_medium: 'UTM medium',
      utm_campaign: 'UTM campaign',
      sub_id: 'Sub-ID',
      landing_page: 'Landing page',
      device: 'Device',
      country: 'Country',
    },
  },
  metrics: {
    ...sharedTexts.metrics,
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
  viewReferrals: 'View these referrals',
  viewCommissions: 'View these commissions',
  sources:
    'Sources count clicks, and the conversions that a click won. A conversion by coupon code or sign-in has no source.',
  empty: 'No data for this period',
  leftOut: (number: number) => `And ${counted(number, 'more row')}, included in the total.`,
}
