import type { Exclusion } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { counted } from '../shared/en.ts'

const payments = (number: number) => counted(number, 'payment')

const exclusions: Record<Exclusion, { title: string; meaning: string; remedy: string }> = {
  below_minimum: {
    title: 'Below minimum',
    meaning: "The payable balance is below the campaign's minimum payout.",
    remedy: 'No action needed: it rolls over until the minimum is reached.',
  },
  in_review: {
    title: 'Referral in review',
    meaning: 'Commissions of a referral in review are not payable, even if they are approved.',
    remedy: 'Approve the referral to include them in the next payout.',
  },
  on_hold: {
    title: 'On hold',
    meaning: 'Everything outside other payouts is still in its hold period.',
    remedy: 'No action needed: a later payout includes it.',
  },
  no_payout_address: {
    title: 'No PayPal address',
    meaning: 'PayPal needs an email address to pay to.',
    remedy: 'Ask the affiliate to add one in the partner portal, add it yourself, or pay manually.',
  },
  out_of_range: {
    title: 'Amount too large',
    meaning: 'The amount exceeds the maximum of a payment or of the whole payout.',
    remedy: 'Create another payout after this one, or adjust the balance if it is wrong.',
  },
  negative_balance: {
    title: 'Negative balance',
    meaning: 'Clawbacks exceed the payable commissions.',
    remedy: 'No action needed: it is deducted from future commissions.',
  },
  not_approved: {
    title: 'Not approved',
    meaning: 'The affiliate is pending or rejected. Their balance is kept.',
    remedy: 'Approve the affiliate to include them in the next payout.',
  },
  test_only: {
    title: 'Test data only',
    meaning: 'All open commissions come from test conversions.',
    remedy: 'No action needed: test commissions are never paid.',
  },
}

export const texts = {
  title: 'Payouts',
  note: 'Payments to affiliates: sent, in progress and to be sent.',
  payout: (id: number | string) => `Payout ${id}`,
  newPayout: 'New payout',
  searchHint: 'Affiliate, number, reference…',
  recent: 'Ended in the last 30 days',
  payments,
  affiliates: (number: number) => counted(number, 'affiliate'),
  columns: { payout: 'Payout', method: 'Method', payments: 'Payments', total: 'Total' },
  empty: {
    filtered: 'No matching payouts',
    title: 'No payouts yet',
    text: 'A payout pays the approved commissions of a campaign. Preview who gets paid, and who is excluded and why, before you create it.',
  },
  noPayPalAddress: 'No PayPal address',
  payPalMissing: {
    title: "PayPal isn't connected",
    create: "You can create the payout, but you can't send it until PayPal credentials are added.",
    send: 'To send this payout, add PayPal credentials. Or cancel it and create a manual payout.',
    action: 'Open payout settings',
    /** For users who may not change settings. */
    askAdmin: 'Ask an account admin to add them in Settings.',
  },
  create: {
    note: 'Review the preview first. No money moves until you send the payout.',
    selectCampaign: 'Select a campaign',
    selectCampaignText: 'The preview shows who gets paid, and who is excluded and why.',
    noCampaignFound: 'No results',
    campaignOption: (name: string, currency: string) => `${name} (${currency})`,
    method: 'Payout method',
    methodNotes: {
      manual:
        'Download a payment file, pay through your bank or PayPal, then mark each payment as paid or failed.',
      paypal: 'Payments are sent to PayPal automatically. Their status is tracked here.',
    },
    cutOff: 'Cut-off (optional)',
    cutOffZone: (zone: string) => `Time zone: ${zone}`,
    cutOffNote:
      'With a cut-off, only commissions earned up to that time are included. Without one, everything up to now.',
    noCampaign: 'There is no campaign yet.',
    createCampaign: 'Create campaign',
  },
  preview: {
    loading: 'Calculating balances…',
    total: 'Total',
    included: 'Included',
    excluded: 'Excluded',
    minimum: 'Minimum',
    cutOff: 'Cut-off',
    digest: 'Digest',
    copyDigest: 'Copy digest',
    refresh: 'Refresh preview',
    nothingToPay: 'Nothing to pay. See “Excluded” for the reasons.',
    readOnly: 'You can view this preview. To create the payout, you need permission to manage payouts.',
    action: 'Create payout',
    confirmTitle: 'Create this payout?',
    confirm: (total: string) => `Create payout (${total})`,
    consequences: (number: number, total: string, method: string) =>
      `Creates ${payments(number)} totaling ${total} (${method}). Their commissions can't be included in another payout.`,
    reversible: 'No money moves yet. You can cancel the payout until it is sent.',
    created: (id: number) => `Payout ${id} created`,
    outdated: {
      title: 'The preview is out of date',
      changed: 'Commissions, refunds or payout details have changed since, so no payout was created now.',
      gone: 'Nothing in it is payable any more. An earlier attempt or a colleague may have created a payout of it.',
      payouts: 'View payouts',
    },
    table: {
      included: 'Included affiliates',
      excluded: 'Excluded affiliates',
      payment: 'Payment',
      paidTo: 'Paid to',
      balance: 'Balance',
      onHold: 'On hold',
      inReview: 'In review',
      inAnotherPayout: 'In another payout',
      commissions: (number: number) => counted(number, 'commission'),
      noneIncluded: 'No payments',
      noneIncludedText:
        'No affiliate in this campaign has a payable balance above the minimum. See “Excluded” for the reasons.',
      noneExcluded: 'No affiliates excluded',
      noneExcludedText: 'Every affiliate with an open balance is included.',
    },
    allReasons: 'All reasons',
    reasonCount: (title: string, number: number) => `${title} (${count(number)})`,
  },
  exclusions,
  nothingToPay: {
    title: "Why there's nothing to pay yet",
    hold: (days: number) =>
      `This campaign holds commissions for ${counted(days, 'day')} after the sale, so that refunds are deducted before anyone is paid.`,
    minimum: (amount: string) => `Balances below its minimum of ${amount} roll over to the next payout.`,
    tests: 'Test commissions are never paid. Play them through with a test payout.',
    notApproved: "Affiliates who aren't approved are not paid.",
    change: 'Open campaign settings',
  },
  tests: {
    title: 'Test payouts',
    note: (holdDays: number, minimum: string) =>
      `Plays test conversions through to a payout. No money is sent and no balance changes. A test skips what real payouts wait for: the hold of ${counted(holdDays, 'day')} and the minimum of ${minimum}.`,
    create: (total: string) => `Create test payout (${total})`,
    created: (id: number) => `Test payout ${id} created`,
    name: (id: number) => `Test payout ${id}`,
    badge: 'Test · paid',
    notSent: 'No money was sent.',
    recent:
      'The newest test payouts. No money was sent, and they are not part of the list or the export above.',
    more: (number: number) => `And ${payments(number)} more.`,
  },
  detail: {
    all: 'All payouts',
    to: (number: number) => `to ${counted(number, 'affiliate')}`,
    progress: 'Progress',
    summary: 'Summary',
    batches: 'PayPal batches',
    payments: 'Payments',
    id: 'Payout ID',
    copyId: 'Copy payout ID',
    method: 'Method',
    minimum: 'Minimum',
    cutOff: 'Cut-off',
    completed: 'Completed',
    notYet: 'Not yet',
    nextStep: 'Next step',
    needsAttention: (number: number) =>
      number === 1 ? '1 payment needs attention' : `${count(number)} payments need attention`,
    unknownOutcome:
      'PayPal did not confirm the outcome. Follow the steps under “PayPal batches”, then mark the payments as paid or failed.',
    notSent: (number: number) =>
      number === 1 ? '1 payment has not been sent' : `${count(number)} payments have not been sent`,
    notSentNote:
      'The reason is under “PayPal batches”, and sending is retried. If it can’t succeed, mark the payments as failed: their commissions return to the next payout.',
    steps: {
      pay_from_file: 'Make the payments in the file. Mark any that failed, then mark the payout as paid.',
      send_to_paypal: 'Send the payout to PayPal. Payment statuses then update automatically on this page.',
      download_file:
        'Download the payment file and pay through your bank or PayPal. Then mark the payout as paid.',
    },
  },
  progress: {
    completed: (done: number, all: number) => `${count(done)} of ${payments(all)} completed`,
    recording: (number: number) => `Recording ${payments(number)}…`,
    count: (status: string, number: number) => `${status}: ${count(number)}`,
  },
  send: {
    action: 'Send to PayPal',
    title: (id: number) => `Send payout ${id} to PayPal?`,
    confirm: (total: string) => `Send ${total}`,
    consequences: (number: number, total: string) =>
      `PayPal makes ${payments(number)} totaling ${total} from your PayPal balance. This can't be undone; you can only cancel payments that their recipients haven't claimed.`,
    done: 'Payout queued for PayPal',
  },
  cancel: {
    action: 'Cancel payout',
    title: (id: number) => `Cancel payout ${id}?`,
    keep: 'Keep payout',
    consequences: (number: number, total: string) =>
      `${payments(number)} totaling ${total} won't be made. Their commissions return to the next payout. This can't be undone.`,
    done: 'Payout canceled',
  },
  file: {
    action: 'Download payment file',
    format: 'Format',
    formats: {
      bank: { title: 'Bank CSV', note: 'Names, email addresses, amounts and references for bank transfers.' },
      paypal: {
        title: 'PayPal CSV',
        note: "PayPal's mass payment format. Every affiliate needs a PayPal address.",
      },
    },
    confirm: (format: string) => `Download ${format}`,
    contents: (number: number) => `Includes ${payments(number)}.`,
    consequences:
      'Downloading ends cancellation: the payout counts as sent from then on, and you mark every payment as paid or failed.',
  },
  mark: {
    paid: 'Mark as paid',
    failed: 'Mark as failed',
    one: (outcome: 'paid' | 'failed', affiliate: string) => `Mark as ${outcome}: ${affiliate}`,
    several: (outcome: 'paid' | 'failed', number: number) => `Mark ${count(number)} as ${outcome}`,
    titlePayments: (number: number, outcome: string) => `Mark ${payments(number)} as ${outcome}`,
    titlePayout: (id: number, outcome: string) => `Mark payout ${id} as ${outcome}`,
    about: {
      one: (amount: string, affiliate: string, id: number) => `${amount} to ${affiliate} (payment ${id}).`,
      several: (number: number, total: string) => `${payments(number)} totaling ${total}.`,
      all: (number: number) =>
        number === 1 ? 'The 1 remaining payment.' : `All ${payments(number)} that remain.`,
    },
    paidNote: "This can't be undone. Confirm only after sending the money.",
    failedNote: 'The commissions return to the next payout. Confirm only if no money was sent.',
    reference: 'Reference (optional)',
    referenceHint: 'To find the payment again, such as a bank transfer number',
    reason: 'Reason',
    reasonHint: 'Why the payment failed',
    done: (number: number, outcome: string) =>
      number === 0 ? 'No payments left to mark' : `${payments(number)} marked as ${outcome}`,
    noneSelected: 'None of the selected payments can be marked manually.',
    tooMany: (most: number) =>
      `Select up to ${most} payments, or use “Mark as paid” at the top to mark all of them.`,
  },
  failed: {
    action: 'Resolve',
    of: (affiliate: string) => `Resolve failed payment: ${affiliate}`,
    /** Ways to resolve a failed payment, each with what it does. */
    choices: {
      retry: {
        action: 'Retry',
        note: 'Creates a new payout for this affiliate now. Nothing is sent until you send it.',
      },
      next: {
        action: 'Retry in next payout',
        note: "Nothing to do: the commissions are included in the campaign's next payout.",
      },
      paid: {
        action: 'Mark as paid',
        note: 'You paid it another way. Records it as a manual payout.',
      },
    },
    notice: (number: number) => (number === 1 ? '1 payment failed' : `${count(number)} payments failed`),
    noticeText:
      "Their commissions are payable again and are included in the campaign's next payout. You can also retry now, or mark a payment as paid if you paid it another way.",
    retry: (number: number) => (number === 1 ? 'Retry payment' : `Retry ${payments(number)}`),
    retryTitle: (number: number) => `Retry ${payments(number)}?`,
    retryText: {
      paypal:
        "Creates a new payout to the affiliate's current PayPal address. No money moves until you send it to PayPal; until then you can cancel it.",
      manual: 'Creates a new manual payout. No money moves until you pay it; until then you can cancel it.',
    },
    retryAmount:
      'The amount is what is payable now: it includes commissions approved since, and refunds since are deducted.',
    retried: (id: number, made: number, asked: number) =>
      made < asked
        ? `Payout ${id} created with ${count(made)} of ${payments(asked)}; the others aren't payable right now`
        : `Payout ${id} created`,
    nextText: (amount: string, campaign: string) =>
      `The ${amount} stay payable. The next payout of ${campaign} includes them, unless refunds reduce the balance below the minimum. You don't need to do anything until then.`,
    createNext: 'Create next payout',
    leave: 'Close',
    paidTitle: 'Mark failed payment as paid?',
    paidText:
      "Records a separate manual payout of the same commissions, so they aren't paid again. This can't be undone. Confirm only after sending the money.",
    markedPaid: (id: number) => `Payment recorded in payout ${id}`,
    nextPayout: 'Included in',
  },
  cancelPayment: {
    action: 'Cancel payment',
    one: (affiliate: string) => `Cancel payment: ${affiliate}`,
    title: 'Cancel this payment?',
    keep: 'Keep payment',
    consequences: (amount: string, recipient: string) =>
      `${amount} to ${recipient}. PayPal can cancel it only if the recipient hasn't claimed it. The commissions then return to the next payout.`,
    done: 'Payment canceled',
    notDone: "PayPal didn't cancel the payment. Check its status.",
  },
  payment: {
    label: (payoutId: number) => `Payments of payout ${payoutId}`,
    reasonOrReference: 'Reason or reference',
    actions: 'Actions',
    noneTitle: 'No matching payments',
    noneText: 'Select another status or affiliate.',
    statusOption: (status: string, number: number) => `${status} (${count(number)})`,
    address: {
      known: (address: string) => `PayPal address: ${address}`,
      paid: (address: string) => `Paid to ${address}`,
      open: (address: string) => `To ${address}`,
      failed: (address: string) => `Not paid; was to go to ${address}`,
    },
    recording: 'Recording…',
  },
  payPalReasons: {
    PENDING: 'PayPal is processing it',
    UNCLAIMED: 'Not claimed yet; returned after 30 days if the recipient does not claim it',
    ONHOLD: 'PayPal is reviewing it',
    RETURNED: 'Not claimed, so the money was returned',
    FAILED: 'PayPal could not pay it',
    BLOCKED: 'PayPal blocked it',
    REFUNDED: 'The recipient refunded it',
    REVERSED: 'PayPal reversed it',
  },
  payPalReason: (meaning: string, status: string) => `${meaning} (${status}).`,
  batches: {
    columns: { batch: 'Batch', payments: 'Payments', details: 'Details', nextCheck: 'Next check' },
    copyId: 'Copy batch ID',
    payPalId: (id: string) => `PayPal ID ${id}`,
    copyPayPalId: 'Copy PayPal ID',
    noCheck: 'None',
    soon: 'Within a minute',
    accountChanged: {
      title: 'PayPal account changed',
      meaning: (id: string) =>
        `The PayPal credentials changed after this batch was sent. To rule out double payments, nothing is sent or checked with the new ones. Restore the old credentials to continue automatically, or find ${id} in the old PayPal account and mark each payment as paid or failed.`,
    },
    queued: { title: 'Queued', meaning: 'Sent within a moment.' },
    sending: { title: 'Sending', meaning: 'Retried automatically. No payment is made twice.' },
    accepted: {
      title: 'Accepted',
      meaning: 'PayPal accepted the batch. Waiting for the outcome of each payment.',
      ended:
        'PayPal has reported the outcome of each payment. Checked daily for a while, in case a payment is returned.',
    },
    notSent: {
      title: 'Not sent',
      meaning: 'No money was sent. The payments failed, and their commissions return to the next payout.',
    },
    unknown: {
      title: 'Unknown',
      meaning: (id: string) =>
        `PayPal did not confirm this batch, and it is not retried. Find ${id} among the mass payments of your PayPal account. Mark the payments listed there as paid and the others as failed.`,
    },
  },
}
