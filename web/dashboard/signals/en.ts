import {
  MOST_IN_REVIEW,
  type SignalDecision,
  type SignalFact,
  type SignalKind,
  type SignalPart,
} from '@tributary/contract/dashboard/signal-kinds'
import { calendarDay, count } from '../../ui/format.ts'
import { counted } from '../shared/en.ts'

const kinds: Record<SignalKind, string> = {
  click_velocity: 'Unusual clicks',
  conversion_rate: 'Unusual conversion rate',
  shared_network: 'Shared network',
  shared_payout_address: 'Shared payout address',
  disposable_email: 'Disposable email',
  paid_search: 'Paid search',
  instant_sales: 'Instant sales',
}

const n = (value: number | null) => count(value ?? 0)

/** A part of the score, with its numbers. */
const facts: Record<SignalFact, (part: SignalPart) => string> = {
  clicks_in_day: ({ value, usual, text }) =>
    `${counted(value, 'click')} on ${calendarDay(text ?? '')}${usual === null ? '' : `; usually ${n(usual)} a day`}`,
  few_visitors: ({ value, of }) => `Only ${counted(value, 'visitor')} behind ${n(of)} clicks`,
  rate_of_others: ({ value, usual }) =>
    `${n(value)}% of unique clicks convert; ${n(usual)}% for other affiliates`,
  conversions_counted: ({ value, of }) =>
    `${counted(value, 'conversion')} from ${counted(of ?? 0, 'unique click')}, more than chance explains`,
  accounts_on_network: ({ value }) => `${n(value)} affiliate accounts sign in from one network`,
  accounts_paid_to_address: ({ value }) => `${n(value)} affiliate accounts have one PayPal email`,
  disposable_domain: ({ text }) => `Email address at ${text}, a provider of disposable addresses`,
  disposable_payout_domain: ({ text }) => `PayPal email at ${text}, a provider of disposable addresses`,
  paid_clicks: ({ value, of, text }) => `${n(value)} of the last ${n(of)} clicks come from ads (${text})`,
  paid_share: ({ value }) => `${n(value)}% of these clicks, in a campaign that forbids paid search`,
  instant_sales: ({ value, of }) =>
    `${n(value)} of ${counted(of ?? 0, 'sale')} within 10 seconds of a click without a referrer`,
  instant_share: ({ value }) => `${n(value)}% of the affiliate's sales from clicks`,
}

const verbs: Record<SignalDecision, string> = {
  hold: 'Hold new referrals',
  reject: 'Reject referrals in review',
  block: 'Block affiliate',
  dismiss: 'Dismiss signal',
}

export const texts = {
  title: 'Fraud signals',
  note: 'Signs of fraud in the last four weeks, checked every 15 minutes. They change nothing until you decide.',
  kinds,
  facts,
  points: (points: number) => `+${points}`,
  columns: { score: 'Score', signal: 'Signal', found: 'Found', decision: 'Decision' },
  filters: { kind: 'Signal' },
  tabs: { open: 'Open', decided: 'Decided', closed: 'No longer found' },
  held: 'Held for review',
  with: 'With',
  links: { referrals: 'View referrals', clicks: 'View clicks' },
  decide: 'Decide',
  decideOn: (affiliate: string) => `Decide about ${affiliate}`,
  decided: {
    hold: 'New referrals held',
    reject: 'Referrals rejected',
    block: 'Affiliate blocked',
    dismiss: 'Dismissed',
  } satisfies Record<SignalDecision, string>,
  dialog: {
    title: (kind: string, affiliate: string) => `${kind}: ${affiliate}`,
    action: 'Decision',
    verbs,
    rejectSome: (number: number) =>
      `Reject ${number < MOST_IN_REVIEW ? counted(number, 'referral') : `${n(number)} or more referrals`} in review`,
    consequences: {
      hold: 'New referrals of this affiliate wait for your review, and their commissions are not payable until you approve them. Earlier referrals stay as they are. You can end this on the affiliate’s page.',
      reject:
        'Pending commissions of these referrals are voided, and approved or paid ones clawed back. This can’t be undone.',
      block:
        'The affiliate is rejected: they earn nothing from new sales and can’t sign in to the portal. What they have earned stays. You can approve them again.',
      dismiss: 'Nothing changes. The signal comes back if its evidence doubles.',
    } satisfies Record<SignalDecision, string>,
  },
  more: (rejected: number) => `${counted(rejected, 'referral')} rejected. Rejecting the rest…`,
  empty: {
    open: {
      title: 'No open signals',
      text: 'Unusual clicks, conversion rates, accounts and sales show up here with their evidence.',
    },
    decided: { title: 'No decisions yet', text: 'Signals that you have decided about are kept here.' },
    closed: { title: 'Nothing here', text: 'Signals whose evidence is gone are kept here.' },
  },
  viewOpen: 'View open signals',
}
