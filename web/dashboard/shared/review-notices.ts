import type { BulkResult } from '@tributary/contract/dashboard'

const inWords: Record<string, string> = { approved: 'approved', rejected: 'rejected', void: 'voided' }
const SHOWN_REFUSALS = 3

// A type and no interface: the notification system takes data-* attributes too.
type Notice = {
  title?: string
  message: string
  color: string
  autoClose?: number
}

/** What a decision about several rows has led to: what was done, and the first refusals with their reasons. */
export function reviewNotices({ done, refused }: BulkResult, noun: string, status: string): Notice[] {
  const nouns = (count: number) => `${count} ${count === 1 ? noun : `${noun}s`}`
  const notices: Notice[] = []
  if (done > 0) notices.push({ message: `${nouns(done)} ${inWords[status]}.`, color: 'teal' })
  if (refused.length === 0) return notices
  const reasons = refused.slice(0, SHOWN_REFUSALS).map(({ id, message }) => `${id}: ${message}`)
  const more = refused.length > SHOWN_REFUSALS ? ` And ${refused.length - SHOWN_REFUSALS} more.` : ''
  notices.push({
    title: `${nouns(refused.length)} not ${inWords[status]}`,
    message: `${reasons.join(' ')}${more}`,
    color: 'orange',
    autoClose: 12_000,
  })
  return notices
}
