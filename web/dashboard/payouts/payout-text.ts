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
  const { accountChanged, queued, sending, accepted, declined, unknown } = texts.batches
  if (account_changed)
    return { title: accountChanged.title, meaning: accountChanged.meaning(sender_batch_id) }
  switch (status) {
    case 'intended':
      return attempts === 0 ? queued : sending
    case 'accepted':
      return { title: accepted.title, meaning: hasEnded ? accepted.ended : accepted.meaning }
    case 'refused':
      return declined
    case 'unclear':
      return { title: unknown.title, meaning: unknown.meaning(sender_batch_id) }
  }
}

/** What a decision applies to: one payment, several, or all that are left. */
export function decidedAbout(
  payout: Pick<PayoutDetail, 'currency' | 'by_hand'>,
  items: Pick<PayoutItemRow, 'id' | 'name' | 'email' | 'amount_minor' | 'currency'>[] | undefined,
): string {
  const { about } = texts.mark
  const [only] = items ?? []
  if (only && items?.length === 1)
    return about.one(money(only.amount_minor, only.currency), only.name ?? only.email, only.id)
  if (items) {
    const total = items.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
    return about.several(items.length, money(total, payout.currency))
  }
  return about.all(payout.by_hand)
}
