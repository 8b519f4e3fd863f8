import type { PayoutDetail, PayoutItemRow, PayoutSubmission } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { texts } from './en.ts'

/** Why a payment failed or is delayed. Where PayPal gave only a status, its meaning. */
export function reasonText(reason: string): string {
  const status = /^PayPal says (\w+)$/.exec(reason)?.[1] ?? ''
  if (!Object.hasOwn(texts.payPalReasons, status)) return reason
  return texts.payPalReason(texts.payPalReasons[status as keyof typeof texts.payPalReasons], status)
}

interface SubmissionText {
  title: string
  meaning: string
}

/** The state of a batch at PayPal, and what it requires of the user. */
export function submissionText(
  { status, attempts, sender_batch_id, account_changed }: PayoutSubmission,
  hasEnded: boolean,
): SubmissionText {
  const { accountChanged, queued, sending, accepted, notSent, unknown } = texts.batches
  if (account_changed)
    return { title: accountChanged.title, meaning: accountChanged.meaning(sender_batch_id) }
  switch (status) {
    case 'intended':
      return attempts === 0 ? queued : sending
    case 'accepted':
      return { title: accepted.title, meaning: hasEnded ? accepted.ended : accepted.meaning }
    case 'refused':
      return notSent
    case 'unclear':
      return { title: unknown.title, meaning: unknown.meaning(sender_batch_id) }
  }
}

/** How many payments are left to mark: what was never sent can only be marked as failed. */
export const leftToMark = (
  { by_hand, unsent }: Pick<PayoutDetail, 'by_hand' | 'unsent'>,
  outcome: 'paid' | 'failed',
): number => (outcome === 'failed' ? by_hand + unsent : by_hand)

export type NextStep =
  | 'connect_paypal'
  | 'unknown_outcome'
  | 'not_sent'
  | 'pay_from_file'
  | 'send_to_paypal'
  | 'download_file'

/** What the user has to do next, if anything. */
export function nextStepOf(
  payout: Pick<
    PayoutDetail,
    'status' | 'rail' | 'unbooked' | 'by_hand' | 'unsent' | 'has_paypal' | 'submissions'
  >,
): NextStep | undefined {
  const { status, rail, unbooked, by_hand, unsent, has_paypal, submissions } = payout
  if (unbooked > 0) return undefined
  if (status === 'pending') {
    if (rail === 'manual') return 'download_file'
    return has_paypal ? 'send_to_paypal' : 'connect_paypal'
  }
  if (status !== 'processing') return undefined
  if (rail === 'manual') return 'pay_from_file'
  if (by_hand > 0) return 'unknown_outcome'
  // Before the first attempt it's queued.
  const hasFailed = submissions.some(batch => batch.status === 'intended' && batch.problem !== null)
  return unsent > 0 && hasFailed ? 'not_sent' : undefined
}

/** What a decision applies to: one payment, several, or all that are left to mark. */
export function decidedAbout(
  currency: string,
  items: Pick<PayoutItemRow, 'id' | 'name' | 'email' | 'amount_minor' | 'currency'>[] | undefined,
  left: number,
): string {
  const { about } = texts.mark
  const [only] = items ?? []
  if (only && items?.length === 1)
    return about.one(money(only.amount_minor, only.currency), only.name ?? only.email, only.id)
  if (items) {
    const total = items.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
    return about.several(items.length, money(total, currency))
  }
  return about.all(left)
}
