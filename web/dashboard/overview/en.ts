import type { SampleConversion } from '@tributary/contract/dashboard'
import { shortDate } from '../../ui/format.ts'
import { counted } from '../shared/en.ts'

export const texts = {
  title: 'Overview',
  note: (zone: string) => `All dates in ${zone}. Test data excluded.`,
  period: {
    label: 'Period',
    options: { '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' },
    compared: (days: number) =>
      days === 365 ? 'Compared with the previous year' : `Compared with the previous ${days} days`,
  },
  metrics: {
    others: (amounts: string[]) => `and ${amounts.join(', ')}`,
    noData: 'No data yet',
    notComparable: 'Not compared: rates are missing',
    isNew: 'New',
  },
  charts: {
    steps: { 1: { column: 'Day', note: 'Daily' }, 7: { column: 'Week of', note: 'Weekly' } },
    asTable: 'View as table',
  },
  attention: {
    title: 'Needs attention',
    allDone: "You're all caught up.",
    recent: 'Unattributed conversions and failed payouts are from the last 30 days.',
    subjects: {
      affiliates: 'Affiliates',
      commissions: 'Commissions',
      conversions: 'Conversions',
      endpoints: 'Webhook endpoints',
      payouts: 'Payouts',
      referrals: 'Referrals',
      signals: 'Fraud signals',
    },
    /** After the number of each, as a link to the list. */
    states: {
      payouts_failed: 'failed',
      payouts_partially_paid: 'partially paid',
      failing_endpoints: 'failing',
      affiliates_to_approve: 'to approve',
      referrals_to_review: 'to review',
      signals_to_review: 'to review',
      unattributed_conversions: 'unattributed',
      payouts_to_send: 'to send',
      payouts_in_progress: 'in progress',
    },
    clearing: (until: Date) => `clear by ${shortDate(until.toISOString())}`,
  },
  explore: 'Explore by any date, affiliate, campaign or source',
  topAffiliates: {
    title: 'Top affiliates',
    empty: 'No commissions in this period.',
    sales: (number: number) => counted(number, 'sale'),
  },
  getStarted: {
    title: 'Get started',
    progress: (done: number, all: number) => `${done} of ${all} complete`,
    done: 'Complete',
    dismiss: 'Dismiss',
    dismissed: 'Checklist dismissed',
    received: {
      credited: (affiliate: string) => `Received — credited to ${affiliate}`,
      notCredited: (customer: string) => `Received ${customer}, but no one was credited`,
      earned: (amount: string) => `First commission: ${amount}.`,
      open: 'View referral',
      why: 'See why',
    },
    steps: {
      campaign: {
        title: 'Create a campaign',
        text: 'Set the commission, the attribution window and the page that links lead to.',
        action: 'Create campaign',
      },
      affiliate: {
        title: 'Add an affiliate',
        text: 'Each affiliate gets a referral link and, optionally, a coupon code.',
        action: 'Add affiliate',
      },
      api_key: {
        title: 'Create an API key',
        text: 'Your backend uses it to report conversions, sales and refunds.',
        action: 'Create API key',
      },
      conversion: {
        title: 'Send your first conversion',
        text: (affiliate: string) =>
          `Run this to report a test conversion of ${affiliate}'s link with a sale. Replace $KEY with your API key. Test conversions never pay money.`,
        noAffiliate: 'Add an approved affiliate first. The command then contains their token.',
        copy: 'Copy command',
        snippet: (origin: string, { campaign_id, token, currency }: SampleConversion) =>
          [
            `curl ${origin}/ingest/v1/conversions -u "$KEY:" -H "Content-Type: application/json" \\`,
            `  -d '{"campaign_id": ${campaign_id}, "customer_ref": "test-customer-1", "token": "${token}", "is_test": true,`,
            `       "sale": {"external_id": "test-sale-1", "amount_minor": 10000, "currency": "${currency}"}}'`,
          ].join('\n'),
      },
      payout: {
        title: 'Create a test payout',
        text: 'Pays the test commission without sending money, so you see how a payout works.',
        action: 'Create test payout',
      },
      billing: {
        title: 'Connect billing',
        text: 'Sales and refunds then arrive without code from Stripe, Paddle, Lemon Squeezy, Shopify, WooCommerce or your own system. The page shows the steps at the provider, the webhook URL to copy and the events to select. Complete with the first event.',
        action: 'Connect billing',
      },
      tracker: {
        title: 'Install the tracking script',
        text: 'Add it to your pages to record which link a visitor came from. Complete with the first recorded visit. You can find it later under Settings → Tracking.',
        action: 'Open tracking settings',
        copy: 'Copy script',
        snippet: (scriptUrl: string, slug: string) =>
          `<script src="${scriptUrl}" data-account="${slug}" async></script>`,
      },
    },
  },
}
