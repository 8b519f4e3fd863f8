import type { BulkResult } from '@tributary/contract/dashboard'
import { texts } from './en.ts'

const { review } = texts
const SHOWN_REFUSALS = 3

// A type alias, since notifications also accept data-* attributes, which an interface would not match.
type Notice = {
  title?: string
  message: string
  color: string
  autoClose?: number
}

/** The toasts after a bulk decision: how many rows changed, and the first refusals with their reasons. */
export function reviewNotices(
  { done, refused }: BulkResult,
  noun: string,
  decision: keyof typeof review.statuses,
): Notice[] {
  const status = review.statuses[decision]
  const notices: Notice[] = []
  if (done > 0) notices.push({ message: review.done(done, noun, status), color: 'teal' })
  if (refused.length === 0) return notices
  const reasons = refused.slice(0, SHOWN_REFUSALS).map(({ id, message }) => `${id}: ${message}`)
  const more = refused.length > SHOWN_REFUSALS ? ` ${review.more(refused.length - SHOWN_REFUSALS)}` : ''
  notices.push({
    title: review.refused(refused.length, noun, status),
    message: `${reasons.join(' ')}${more}`,
    color: 'orange',
    autoClose: 12_000,
  })
  return notices
}
