import type { PaymentOutcome } from '@tributary/contract'
import { itemOutcomes } from './paypal-status.ts'
import type { ItemReport, SubmitResponse } from './rail.ts'

interface PayPalLink {
  href?: string
}

interface PayPalError {
  name?: string
  message?: string
  details?: { field?: string; issue?: string; link?: PayPalLink[] }[]
  links?: PayPalLink[]
}

export interface PayPalItem {
  payout_item_id: string
  transaction_id?: string
  transaction_status?: string
  payout_item: { sender_item_id?: string }
  errors?: { name?: string; message?: string }
}

export interface PayPalBatch {
  total_pages?: number
  batch_header: { payout_batch_id: string; batch_status: string }
  items?: PayPalItem[]
}

export interface PayPalResponse {
  status: number
  body: unknown
}

/** PayPal's error details in parentheses, or an empty string. */
export const describeError = (body: unknown) => {
  const { name, message, details } = (body ?? {}) as PayPalError
  const issues = (Array.isArray(details) ? details : []).map(({ field, issue }) =>
    [field, issue].filter(Boolean).join(': '),
  )
  const text = [name, message, ...issues].filter(Boolean).join(', ')
  return text ? ` (${text})` : ''
}

const isDuplicate = ({ details }: PayPalError) =>
  Array.isArray(details) &&
  details.some(
    ({ field, issue }) => /sender_batch_id/i.test(field ?? '') && /duplicate|already/i.test(issue ?? ''),
  )

/** PayPal declines a whole batch for one invalid item, which it names by its index: `items[3].receiver`. */
function itemReasons({ details }: PayPalError, ids: number[]): Map<number, string> {
  const reasons = new Map<number, string>()
  for (const { field, issue } of Array.isArray(details) ? details : []) {
    const position = /items\[(\d+)\]/.exec(field ?? '')?.[1]
    const id = position === undefined ? undefined : ids[Number(position)]
    if (id !== undefined) reasons.set(id, issue ?? 'declined by PayPal')
  }
  return reasons
}

export function readSubmitResponse({ status, body }: PayPalResponse, ids: number[]): SubmitResponse {
  const error = (body ?? {}) as PayPalError
  const reason = `PayPal responded with HTTP ${status}${describeError(body)}`
  const accepted = (body as PayPalBatch).batch_header?.payout_batch_id
  if ((status === 201 || status === 200) && accepted) return { kind: 'accepted', externalId: accepted }
  if (status === 400 && isDuplicate(error)) {
    const links = [...(error.links ?? []), ...(error.details ?? []).flatMap(detail => detail.link ?? [])]
    const link = links.map(({ href = '' }) => /\/payouts\/([^/?]+)/.exec(href)?.[1]).find(Boolean)
    // An earlier call was accepted after all; PayPal links to its batch.
    return link
      ? { kind: 'accepted', externalId: decodeURIComponent(link) }
      : { kind: 'unidentified', reason }
  }
  if (status === 429) return { kind: 'busy', reason }
  // A proxy may have timed out after PayPal accepted the batch.
  if (status === 408) return { kind: 'unknown', reason }
  if (status >= 400 && status < 500) return { kind: 'declined', reason, itemReasons: itemReasons(error, ids) }
  return { kind: 'unknown', reason }
}

export function reportOf(item: PayPalItem, batchOutcome: PaymentOutcome | undefined): ItemReport {
  const status = item.transaction_status ?? ''
  const itemOutcome = itemOutcomes[status] ?? null
  return {
    itemId: Number(item.payout_item.sender_item_id),
    externalId: item.payout_item_id,
    // The item's own outcome takes precedence over the batch's.
    outcome: itemOutcome ?? batchOutcome ?? null,
    // The dashboard explains `PayPal says <status>`, which is also stored in older rows.
    reason:
      item.errors?.message ??
      item.errors?.name ??
      (itemOutcome === 'paid' ? null : `PayPal says ${status || 'nothing yet'}`),
    reference: item.transaction_id ?? null,
  }
}
