import { counted } from '../shared/en.ts'

export const texts = {
  title: 'Commissions',
  note: 'Commissions, clawbacks, adjustments and payouts of every affiliate.',
  types: {
    earned: 'Earned',
    clawback: 'Clawback',
    adjustment: 'Adjustment',
    payout: 'Payout',
    credit: 'Credit',
  },
  statuses: { pending: 'Pending', approved: 'Approved', paid: 'Paid', void: 'Void' },
  beneficiaries: { affiliate: 'Affiliate', referrer: 'Referrer', referee: 'New customer' },
  columns: { id: 'ID', clearsOn: 'Clears on' },
  /** Beside the type of an entry that rewards the customer. */
  forCustomer: 'for the customer',
  /** Before the amount in the currency of the sale. */
  convertedFrom: 'from',
  filters: {
    searchHint: 'Affiliate, customer, sale ID…',
    referral: 'Referral',
    beneficiary: 'Beneficiary',
    clearsSoon: 'Clears within 7 days',
  },
  /** Below the list. */
  isPartial:
    'Many affiliates, customers or sales match: older ones are left out. Type more to narrow the search.',
  empty: {
    filtered: 'No matching commissions',
    title: 'No commissions yet',
    text: 'A commission appears when a sale to a referred customer is reported. To bring in balances from another system, adjust them.',
  },
  adjust: {
    title: 'Adjust balance',
    note: "Creates an adjustment that is payable with the next payout. Existing commissions don't change.",
    campaignHint: 'Campaigns this affiliate is enrolled in',
    noAffiliate: 'Select an affiliate first',
    selectCampaign: 'Select a campaign',
    amount: (currency: string | undefined) => (currency ? `Amount (${currency})` : 'Amount'),
    amountHint: 'Use a minus sign to deduct',
    amountExample: '12.50',
    amountError: (example: string) => `Enter an amount other than 0, such as ${example}`,
    descriptionHint: 'The reason, visible to the affiliate',
    preview: (isDeduction: boolean, amount: string, affiliate: string, campaign: string) =>
      isDeduction
        ? `Deducts ${amount} from the balance of ${affiliate} in ${campaign}.`
        : `Adds ${amount} to the balance of ${affiliate} in ${campaign}.`,
    submit: 'Adjust balance',
    done: 'Balance adjusted',
  },
  review: {
    /** As in "2 commissions in your selection are … and won't change." */
    refusals: {
      void: 'already void',
      paid: 'already paid (adjust the balance instead)',
      approved: 'already approved',
      inPayout: (id: number) => `in payout ${id} (cancel the payout first)`,
      adjustment: 'clawbacks or adjustments (adjust the balance instead)',
    },
    voidApproved: (amount: string) =>
      `${amount} of it is approved: a clawback entry takes it back, and the affiliate sees it.`,
    approve: (amount: string) => `${amount} becomes payable with the next payout.`,
    endsHold: 'The hold ends early: later refunds are deducted from future payouts.',
    inReview: 'The referral still needs review: if it is rejected, the commission is clawed back.',
    void: (amount: string) =>
      `${amount} is removed from the balance. This can't be undone: a voided commission can't be approved. To restore the amount, adjust the balance.`,
  },
  detail: {
    title: (id: number) => `Commission ${id}`,
    timeline: 'Timeline',
    summary: 'Summary',
    id: 'Commission ID',
    copyId: 'Copy commission ID',
    originalAmount: 'Original amount',
    referral: 'Referral',
    beneficiary: 'Beneficiary',
  },
  timeline: {
    viewCommission: (id: number) => `View commission ${id}`,
    sale: (amount: string) => `Sale of ${amount}`,
    copySale: 'Copy sale ID',
    customer: 'Customer',
    refund: (amount: string) => `Refund of ${amount}`,
    copyRefund: 'Copy refund ID',
    adjusted: 'Adjustment',
    clawback: 'Clawback',
    clawbackShare: 'In proportion to the refunded amount.',
    clawbackReversed: 'Clawback reversed',
    clawbackReversedWhy: 'The clawback was settled before its commission was voided, so it is paid back.',
    credited: (amount: string) => `Credited ${amount}`,
    earned: (amount: string) => `Earned ${amount}`,
    rule: (rule: string, beneficiary: string) => `${rule}. Beneficiary: ${beneficiary}.`,
    ruleVersion: (version: number, since: string) => `Rule version ${version}, in effect since ${since}.`,
    converted: (amount: string) => `Converted to ${amount}`,
    rate: (from: string, rate: string, to: string, source: string | null) =>
      `1 ${from} = ${rate} ${to} on the day of the sale${source ? ` (${source})` : ''}. Later rates don't change it.`,
    noHold: 'No hold',
    noHoldWhy: 'This campaign has no hold period.',
    /** Before the date. */
    hold: { over: 'Hold ended on', pending: 'Clears on', ahead: 'Hold would have ended on' },
    holdWhy: (days: number) => `Held for ${counted(days, 'day')} after the sale, to allow for refunds.`,
    holdPending: 'Then approved automatically, unless the referral needs review.',
    holdOver: 'The hold has ended; approval follows within minutes.',
    voided: 'Voided',
    voidedByRefund: (id: string) => `Refund ${id} reversed the whole sale before approval.`,
    voidedByReferral: 'The referral was rejected.',
    voidedManually: 'Voided manually. If it was done in the dashboard, the audit log shows by whom.',
    approved: 'Approved',
    deducted: 'Deducted from the payable balance.',
    payable: 'Added to the payable balance.',
    grantable: 'The credit can be granted.',
    inReview: 'Referral needs review',
    reviewReferral: 'Review referral',
    approval: 'Approval',
    approvalWhen: 'When the hold ends, or earlier if approved manually.',
    payout: 'Payout',
  },
  /** A payout that includes the commission: the text before its link, and what comes next. */
  payouts: {
    link: (id: number) => `payout ${id}`,
    pending: { title: 'Included in', next: 'Not sent yet.' },
    processing: { title: 'Being paid in', next: 'Waiting for the outcome.' },
    paid: { title: 'Paid in', next: '' },
    failed: { title: 'Payment failed in', next: 'Returned to the next payout.' },
    canceled: { title: 'Payment canceled in', next: 'Returned to the next payout.' },
    payment: (id: number, amount: string, method: string, reference: string | null) =>
      `Payment ${id}: ${amount} (${method})${reference ? `, reference ${reference}` : ''}.`,
  },
  /** A clawback of the commission, before its amount. */
  clawbacks: {
    taken: 'Clawed back:',
    reversed: 'Clawback reversed:',
    voided: 'Clawback voided with the commission:',
    waived: 'Clawback waived:',
  },
  /** A change of the customer's balance at the billing provider, before its amount. */
  credits: {
    pending: 'Credit pending:',
    granted: 'Credit granted:',
    taken_back: 'Credit taken back:',
    failed: 'Credit failed:',
    customer: (customer: string) => `Balance of customer ${customer} at the billing provider.`,
    copyId: 'Copy transaction ID',
    connector: 'View connector',
  },
  nextPayout: {
    test: 'Never: test commissions are not paid out.',
    credit: 'Never: your app grants this reward, so it is not paid out.',
    granted: 'Never: this reward is credited to the customer’s balance.',
    pending: "Included in the campaign's next payout once approved.",
    negative: "Deducted from the campaign's next payout. Any remainder carries forward.",
    payable: "Included in the campaign's next payout if the affiliate reaches the minimum.",
  },
}
