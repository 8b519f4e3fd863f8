import type { Exclusion, PayoutDetail, PayoutItemRow, PayoutSubmission } from '@tributary/contract/dashboard'
import { count, money } from '../../ui/format.ts'

export const railWords = { manual: 'By hand', paypal: 'PayPal', sepa: 'SEPA', wise: 'Wise' } as const

/** Where each rail leads, for whoever has to choose. */
export const railNotes = {
  manual: 'You pay from a file, at your bank or at PayPal, and say here what became of each payment.',
  paypal: 'The service sends the payments to PayPal and follows each of them to its end.',
} as const

/** Why somebody gets nothing: what it is called, what it means, and what can be done. */
export const exclusionWords: Record<Exclusion, { title: string; meaning: string; remedy: string }> = {
  below_minimum: {
    title: 'Below the minimum',
    meaning: 'What can be paid is less than the campaign’s minimum payout.',
    remedy: 'Nothing to do: it is carried forward until the minimum is reached.',
  },
  in_review: {
    title: 'Referral in review',
    meaning:
      'Its referral is pending review. Until it is approved, its commissions are not payable, even approved ones.',
    remedy: 'Review the referral: the next payout takes it up once you approve it.',
  },
  on_hold: {
    title: 'Still on hold',
    meaning: 'What is not in another payout is on hold until its hold period ends.',
    remedy: 'Nothing to do: a later payout takes it up.',
  },
  no_payout_address: {
    title: 'No PayPal address',
    meaning: 'PayPal cannot reach them.',
    remedy: 'Ask them to add one in their portal, or add it on their page. By hand they can be paid without.',
  },
  out_of_range: {
    title: 'Amount too large',
    meaning: 'It is more than one payment, or this payout as a whole, can hold.',
    remedy: 'Pay the others first and create another payout. Correct the balance if the amount is a mistake.',
  },
  negative_balance: {
    title: 'Negative balance',
    meaning: 'Refunds took back more than can be paid.',
    remedy: 'Nothing to do: it is deducted from what they earn next.',
  },
  not_approved: {
    title: 'Not approved',
    meaning: 'The affiliate is pending or rejected. What they earned stays on their balance.',
    remedy: 'Approve them, and the next payout takes up what they earned.',
  },
  test_only: {
    title: 'Only tests',
    meaning: 'Everything open comes from test conversions.',
    remedy: 'Nothing to do: tests are never paid.',
  },
}

const payPalStatuses = new Map([
  ['PENDING', 'PayPal is working on it'],
  ['UNCLAIMED', 'Waits until its receiver claims it; after 30 days the money comes back'],
  ['ONHOLD', 'PayPal is checking it'],
  ['RETURNED', 'Nobody claimed it, and the money came back'],
  ['FAILED', 'PayPal could not pay it'],
  ['BLOCKED', 'PayPal blocked it'],
  ['REFUNDED', 'Its receiver sent it back'],
  ['REVERSED', 'PayPal reversed it'],
])

/** Why an item failed or what it waits for. Where PayPal gave a status alone, what that means. */
export function reasonWords(reason: string): string {
  const status = /^PayPal says (\w+)$/.exec(reason)?.[1] ?? ''
  const meaning = payPalStatuses.get(status)
  return meaning ? `${meaning} (${status}).` : reason
}

interface SubmissionWords {
  title: string
  meaning: string
}

/** How a batch stands at PayPal, and what that asks of anybody. */
export function submissionWords(
  { status, attempts, sender_batch_id, account_changed }: PayoutSubmission,
  hasEnded: boolean,
): SubmissionWords {
  if (account_changed)
    return {
      title: 'Other PayPal account',
      meaning: `The PayPal credentials were changed after this batch was sent. Nothing is sent or checked with the new ones, so nobody is paid twice. Put the old credentials back and it continues automatically. Or look for ${sender_batch_id} in the old PayPal account, and mark each payment paid or failed.`,
    }
  switch (status) {
    case 'intended':
      return attempts === 0
        ? { title: 'About to be sent', meaning: 'The service sends it within a moment.' }
        : { title: 'Being sent', meaning: 'The service tries again by itself; nobody is paid twice.' }
    case 'accepted':
      return {
        title: 'At PayPal',
        meaning: hasEnded
          ? 'PayPal has said what became of each payment. It is asked once a day for a while, in case money comes back.'
          : 'PayPal has taken it, and is asked what became of each payment.',
      }
    case 'refused':
      return {
        title: 'Refused',
        meaning:
          'PayPal took none of it and no money has moved. The payments failed, and what they were for is in the next payout.',
      }
    case 'unclear':
      return {
        title: 'Unclear',
        meaning: `PayPal did not say what it did with this batch, and is not asked again. Look for ${sender_batch_id} among the mass payments of your PayPal account. Where a payment is there, mark its item paid; where it is not, mark it failed.`,
      }
  }
}

export const itemsWords = (number: number) => (number === 1 ? 'one item' : `${count(number)} items`)

/** What a decision is about: one payment, several, or all that are left. */
export function decidedAbout(
  payout: Pick<PayoutDetail, 'currency' | 'by_hand'>,
  items: Pick<PayoutItemRow, 'id' | 'name' | 'email' | 'amount_minor' | 'currency'>[] | undefined,
): string {
  const [only] = items ?? []
  if (only && items?.length === 1)
    return `${money(only.amount_minor, only.currency)} to ${only.name ?? only.email}, item ${only.id}.`
  if (items) {
    const total = items.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
    return `${itemsWords(items.length)}, ${money(total, payout.currency)} in total.`
  }
  return `All ${itemsWords(payout.by_hand)} of which nothing has been said yet.`
}
