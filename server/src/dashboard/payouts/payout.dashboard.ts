import type { Db } from '../../db/database.ts'
import { invalid, notFound } from '../../kit/domain-error.ts'
import { pageAfter } from '../../kit/page.ts'
import { recordItemCancellation } from '../../money/payouts/cancel-item.ts'
import { recordCancellation } from '../../money/payouts/cancel-payout.ts'
import { createPayout } from '../../money/payouts/create-payout.ts'
import { paymentFile, startExport } from '../../money/payouts/export-payout.ts'
import { recordManualOutcome } from '../../money/payouts/mark-payments.ts'
import { payoutScope } from '../../money/payouts/payout-scope.ts'
import {
  countItems,
  countStillOwed,
  findDetail,
  firstSubmissions,
  listItems,
  listSummaries,
  payoutExists,
} from '../../money/payouts/payout-view.store.ts'
import { previewPage } from '../../money/payouts/preview-page.ts'
import { credentialsChangedAt } from '../../money/payouts/rail-credentials.store.ts'
import { recordFailedAsPaid, retryPayments } from '../../money/payouts/retry-payments.ts'
import { submitPayout } from '../../money/payouts/submit-payout.ts'
import { paypalPays } from '../../money/rails/paypal-status.ts'
import type { DashboardHandlers } from '../call.ts'
import { csvItems, csvPayouts } from './csv-payouts.ts'
import { csvPreview } from './csv-preview.ts'

const hasPayPal = async (db: Db, accountId: number) =>
  (await credentialsChangedAt(db, accountId, 'paypal')) !== undefined

async function assertExists(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await payoutExists(db, accountId, id))) throw notFound('payout')
}

/** Marking everything that is open takes the number that the page showed, in case the payout has changed since. */
function markedBy({ item_ids: itemIds, expected }: { item_ids?: number[]; expected?: number }) {
  if (!itemIds === (expected === undefined)) throw invalid('expected', 'or item_ids must be given, not both')
  return { itemIds, expected }
}

/** The request only records the decision; the service books it right after, however many payments it covers. */
export const payoutDashboard: DashboardHandlers<
  | 'listPayouts'
  | 'exportPayouts'
  | 'previewPayout'
  | 'exportPreview'
  | 'getPayout'
  | 'listPayoutItems'
  | 'exportPayoutItems'
  | 'createPayout'
  | 'payPayout'
  | 'failPayout'
  | 'cancelPayout'
  | 'exportPayout'
  | 'retryPayments'
  | 'payFailedPayments'
> = {
  listPayouts: async ({ db, accountId, query }) =>
    pageAfter(await listSummaries(db, accountId, query), query.limit),

  exportPayouts: async ({ files, accountId, query }) => ({
    name: 'payouts.csv',
    pages: csvPayouts(files, accountId, query),
  }),

  previewPayout: async ({ db, accountId, query }) => {
    const { campaign_id: campaignId, rail, cut_off: cutOff, ...wanted } = query
    const request = { campaignId, rail, cutOff }
    const { preview, data, next } = await previewPage(db, accountId, request, wanted)
    return {
      campaign_id: campaignId,
      rail,
      currency: preview.currency,
      cut_off: preview.cutOff,
      time_zone: preview.timeZone,
      minimum_payout_minor: preview.minimumMinor,
      total_minor: preview.total_minor,
      items: preview.items,
      excluded: preview.excluded,
      digest: preview.digest,
      has_paypal: await hasPayPal(db, accountId),
      data,
      next,
    }
  },

  exportPreview: async ({ db, files, accountId, query }) => {
    const { campaign_id: campaignId, rail, cut_off: cutOff, ...wanted } = query
    const request = { campaignId, rail, cutOff }
    // Validated before the file starts streaming.
    await payoutScope(db, accountId, request)
    return { name: `payout-dry-run-${campaignId}.csv`, pages: csvPreview(files, accountId, request, wanted) }
  },

  getPayout: async ({ db, accountId, id }) => {
    const payout = await findDetail(db, accountId, id)
    if (!payout) throw notFound('payout')
    const counts = await countItems(db, accountId, id)
    return {
      ...payout,
      counts: counts.map(({ status, items, amount_minor }) => ({ status, items, amount_minor })),
      unbooked: counts.reduce((sum, { unbooked }) => sum + unbooked, 0),
      by_hand: counts.reduce((sum, { by_hand }) => sum + by_hand, 0),
      unsent: counts.reduce((sum, { unsent }) => sum + unsent, 0),
      retryable: counts.some(({ status }) => status === 'failed')
        ? await countStillOwed(db, accountId, id)
        : 0,
      submissions: await firstSubmissions(db, accountId, id),
      has_paypal: await hasPayPal(db, accountId),
      has_paypal_file: payout.rail === 'manual' && paypalPays(payout.currency),
    }
  },

  listPayoutItems: async ({ db, accountId, id, query }) => {
    await assertExists(db, accountId, id)
    const rows = await listItems(db, accountId, id, query)
    const { data, next } = pageAfter(rows, query.limit)
    return { data, next: next === null ? null : (data.at(-1)?.affiliate_id ?? null) }
  },

  exportPayoutItems: async ({ db, files, accountId, id, query }) => {
    await assertExists(db, accountId, id)
    return { name: `payout-${id}-items.csv`, pages: csvItems(files, accountId, id, query) }
  },

  createPayout: async ({ db, accountId, body, note }) => {
    const { campaign_id: campaignId, rail, cut_off: cutOff, digest } = body
    const made = await createPayout(db, accountId, { campaignId, rail, cutOff, digest })
    const { id, items, total_minor } = made
    // What a day or a local time meant depends on the zone, which may be another when the log is read.
    if (cutOff !== undefined) note({ cut_off: made.cutOff })
    return { id, items, total_minor }
  },

  payPayout: async ({ db, secrets, accountId, id, body }) => {
    if (body.send) {
      if (body.item_ids || body.expected !== undefined || body.reference !== undefined)
        throw invalid('send', "can't be combined with other fields")
      return { items: await submitPayout(db, secrets, accountId, id) }
    }
    const reported = { outcome: 'paid', reason: null, reference: body.reference ?? null } as const
    return { items: await recordManualOutcome(db, accountId, id, reported, markedBy(body)) }
  },

  failPayout: async ({ db, accountId, id, body }) => {
    const reported = { outcome: 'failed', reason: body.reason, reference: null } as const
    return { items: await recordManualOutcome(db, accountId, id, reported, markedBy(body)) }
  },

  cancelPayout: async ({ db, secrets, settings, accountId, id, body }) => {
    if (body.item_id === undefined) return { items: await recordCancellation(db, accountId, id) }
    const outcome = await recordItemCancellation({ db, secrets, settings }, accountId, id, body.item_id)
    return { items: outcome === 'canceled' ? 1 : 0 }
  },

  retryPayments: async ({ db, accountId, id, body, note }) => {
    const made = await retryPayments(db, accountId, id, body.item_ids)
    note({ new_payout_id: made.id })
    return made
  },

  payFailedPayments: async ({ db, accountId, id, body, note }) => {
    const made = await recordFailedAsPaid(db, accountId, id, body.item_ids, body.reference ?? null)
    note({ new_payout_id: made.id })
    return made
  },

  exportPayout: async ({ db, files, accountId, id, body: { format } }) => {
    await startExport(db, accountId, id, format)
    return { name: `payout-${id}-${format}.csv`, pages: paymentFile(files, accountId, id, format) }
  },
}
