import type { SubscriptionStatus } from '@tributary/contract/dashboard/connector-providers'

const subscriptionStatuses: Record<SubscriptionStatus, string> = {
  trialing: 'Trial',
  active: 'Active',
  past_due: 'Past due',
  paused: 'Paused',
  canceled: 'Canceled',
}

export const texts = {
  title: 'Referrals',
  note: 'Customers referred by affiliates, and how each was attributed.',
  tabs: {
    pending_review: 'Needs review',
    all: 'All',
    approved: 'Approved',
    rejected: 'Rejected',
    unattributed: 'Unattributed',
  },
  revenue: 'Revenue',
  actions: 'Actions',
  filters: {
    customer: 'Reference or email',
    tests: 'Test data',
    withoutTests: 'Exclude tests',
    onlyTests: 'Tests only',
  },
  empty: {
    filtered: {
      title: 'No matching referrals',
      text: 'The conversion may be unattributed: its reason is listed there.',
      action: 'View unattributed conversions',
    },
    pending_review: {
      title: 'No referrals to review',
      text: 'Referrals flagged as possible fraud, and those of campaigns with manual review, appear here.',
    },
    approved: { title: 'No approved referrals', text: 'Approved referrals earn commissions.' },
    rejected: { title: 'No rejected referrals', text: 'Rejected referrals earn no commission.' },
    all: {
      title: 'No referrals yet',
      text: "A referral appears when your app reports a conversion from an affiliate's link, coupon code or token.",
      action: 'Set up tracking',
    },
    viewAll: 'View all referrals',
  },
  review: {
    refusals: {
      pending_review: 'still in review',
      approved: 'already approved',
      rejected: 'already rejected',
    },
    approve: {
      pending: (amount: string) =>
        `${amount} in pending commissions is released: payable now if its hold has ended, otherwise when it ends.`,
      none: 'No commissions depend on this review.',
      later: 'Future sales to the customer earn commissions as usual.',
    },
    reject: {
      pending: (amount: string) => `${amount} in pending commissions is voided.`,
      settled: (amount: string) =>
        `${amount} that was approved or paid is clawed back from the affiliate's next payouts.`,
      none: 'No commissions are affected.',
      later: 'Future sales to the customer earn no commission.',
      final: "This can't be undone: a rejected referral can't be approved later.",
    },
  },
  detail: {
    title: (customer: string) => `Referral: ${customer}`,
    attributedTo: 'Attributed to',
    attribution: 'Attribution',
    notRecorded: 'No attribution details were recorded.',
    summary: 'Summary',
    sales: 'Sales and refunds',
    commissions: 'Commissions',
    needsReview: 'Needs review',
    reviewed: 'Flagged for review',
    rejectionReason: 'Rejection reason',
    sharedReason: (reason: string) => `${reason} (shown to the affiliate)`,
    privateReason: (reason: string) => `${reason} (not shown to the affiliate)`,
    reviewNote: "Commissions stay pending and aren't paid until you approve or reject the referral.",
    id: 'Referral ID',
    copyId: 'Copy referral ID',
    copyCustomer: 'Copy customer reference',
    email: 'Email',
    copyEmail: 'Copy customer email',
    subscription: 'Subscription',
    subscriptionStatuses,
    subscriptionUpdated: 'Last update',
    converted: 'Converted',
    reported: 'Reported',
    commission: 'Commission',
    commissionsLabel: 'Commissions of this referral',
    noCommissions: 'No commissions yet',
    noCommissionsText:
      'A commission appears when a sale to this customer is reported and matches a campaign rule.',
  },
  sales: {
    empty: 'No sales reported for this customer yet.',
    sale: 'Sale',
    refund: 'Refund',
    copySale: 'Copy sale ID',
    copyRefund: 'Copy refund ID',
    awaitsRate: 'Pending',
    awaitsRateNote: "Earns a commission once that day's exchange rate is available.",
    unearned: {
      affiliate_rejected: 'No commission: the affiliate was rejected when this sale was reported.',
      referral_rejected: 'No commission: the referral was rejected when this sale was reported.',
      amount_too_large:
        "No commission yet: at that day's exchange rate it exceeds the maximum amount. Check the rate.",
    },
    more: (number: number) =>
      `Showing the latest ${number} sales. For older ones, see the commissions below.`,
  },
  recordSale: {
    action: 'Record sale',
    title: 'Record sale',
    note: (customer: string, campaign: string) =>
      `For a sale to ${customer} that your app didn't report. It earns under the current rules of ${campaign}, as a reported sale does. Reporting it later with the same ID has no effect.`,
    amountExample: '99.00',
    amountProblem: 'Enter an amount above 0',
    currency: 'Currency',
    time: 'Time of the sale (optional)',
    timeHint: 'Defaults to now. The hold period starts then.',
    id: 'Sale ID',
    idHint: 'The ID your app would report, if there is one.',
    submit: 'Record sale',
    done: (commissions: number, waits: boolean) =>
      waits
        ? 'Sale recorded; it earns once its exchange rate is available'
        : commissions === 0
          ? 'Sale recorded; it earned no commission'
          : 'Sale recorded',
    known: 'This sale was already recorded',
  },
  recordRefund: {
    action: 'Refund',
    of: (sale: string, amount: string) => `Sale ${sale}, ${amount}.`,
    one: (sale: string) => `Refund sale ${sale}`,
    title: 'Record refund',
    note: "For a refund that your app didn't report. No money is sent to the customer. The commission's share is voided or clawed back. This can't be undone.",
    amount: (currency: string) => `Amount (${currency})`,
    amountHint: (left: string) => `${left} has not been refunded yet.`,
    amountProblem: (left: string) => `Enter an amount above 0, up to ${left}`,
    submit: 'Record refund',
    done: (commissions: number) =>
      commissions === 0 ? 'Refund recorded; no commission was affected' : 'Refund recorded',
  },
  credit: {
    action: 'Credit to…',
    title: 'Credit this conversion',
    submit: 'Credit affiliate',
    done: 'Conversion credited',
    final: "This can't be undone, but you can reject the referral later.",
  },
  reassign: {
    action: 'Reassign…',
    title: 'Reassign referral',
    submit: 'Reassign referral',
    done: 'Referral reassigned',
    final:
      'To undo this, reassign the referral again. Commissions that were approved before their hold ended are then on hold again, and the entries of both changes stay in the ledger.',
  },
  assignment: {
    campaignHint: 'The affiliate must be approved and enrolled in it.',
    reason: 'Reason',
    reasonHint: "Kept with the referral and in the audit log. Affiliates don't see it.",
    label: 'Preview',
    sales: (number: number) =>
      number === 0
        ? 'No sales to credit. Future sales to the customer earn commissions.'
        : `${number} ${number === 1 ? 'sale' : 'sales'} to credit. Future sales earn too.`,
    created: 'New commissions',
    voided: 'Taken back',
    kept: 'Kept as is: paid, in a payout, void or refunded',
    waiting: (number: number) =>
      `${number} ${number === 1 ? 'sale earns' : 'sales earn'} once the exchange rate is available.`,
    refused: (number: number) =>
      `${number} ${number === 1 ? 'sale exceeds' : 'sales exceed'} the maximum amount and can't earn.`,
    review: 'The referral will need review:',
    reviewEnds: 'The referral will be approved: what needed review concerned the affiliate before.',
    isTest: 'This is a test: its commissions are never paid.',
    testUnknown: 'This conversion was reported by an earlier version. Check that it was not a test.',
    noCommissions: 'No commissions.',
    more: (number: number) => `And ${number} more.`,
    clears: (date: string) => `on hold, clears on ${date}`,
  },
  unattributed: {
    label: 'Unattributed conversions',
    recent: 'Last 30 days',
    dialog: 'Unattributed conversion',
    saleOf: (id: string, amount: string) => `${id} (${amount})`,
    filtered: 'No matching conversions',
    empty: 'No unattributed conversions',
    emptyText: "Conversions that can't be credited to an affiliate appear here with the reason.",
    more: (number: number) => `And ${number} more.`,
    creditNote:
      "Credit it to an affiliate here, or report it again with the affiliate's token or coupon code.",
  },
}
