import { type DeliverySummary, may } from '@tributary/contract/dashboard'
import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { pageAfter } from '../kit/page.ts'
import { FILE_PAGE_ROWS, pagedCsv } from '../kit/paged-csv.ts'
import { listDeliverySummaries } from './delivery-log.store.ts'
import { redeliver, replayEvents, sendTestEvent } from './redeliver.ts'
import { showDelivery } from './show-delivery.ts'
import { subscribeEndpoint } from './subscribe-endpoint.ts'
import { switchEndpoint } from './switch-endpoint.ts'
import { unsubscribeEndpoint } from './unsubscribe-endpoint.ts'
import { listEndpointSummaries } from './webhook-endpoint.store.ts'

export const webhookEndpointDashboard: DashboardHandlers<
  | 'listWebhookEndpoints'
  | 'createWebhookEndpoint'
  | 'switchWebhookEndpoint'
  | 'deleteWebhookEndpoint'
  | 'sendTestEvent'
  | 'replayEvents'
  | 'listDeliveries'
  | 'exportDeliveries'
  | 'getDelivery'
  | 'redeliver'
> = {
  listWebhookEndpoints: async ({ db, accountId, query }) =>
    pageAfter(await listEndpointSummaries(db, accountId, query), query.limit),
  createWebhookEndpoint: ({ accountId, body, ...services }) => subscribeEndpoint(services, accountId, body),
  switchWebhookEndpoint: async ({ db, accountId, id, body, note }) => {
    const endpoint = await switchEndpoint(db, accountId, id, body.status)
    note({ url: endpoint.url })
    return endpoint
  },
  deleteWebhookEndpoint: async ({ db, accountId, id, note }) => {
    note({ url: (await unsubscribeEndpoint(db, accountId, id)).url })
    return {}
  },
  sendTestEvent: async ({ db, accountId, id, body, note }) => {
    const result = await sendTestEvent(db, accountId, id, body.kind)
    note(result)
    return result
  },
  replayEvents: async ({ db, accountId, id, body, note }) => {
    const result = await replayEvents(db, accountId, id, { time: body.since })
    note(result)
    return result
  },
  listDeliveries: async ({ db, accountId, query }) =>
    pageAfter(await listDeliverySummaries(db, accountId, query), query.limit),
  exportDeliveries: async ({ db, accountId, query }) => ({
    name: 'deliveries.csv',
    pages: pagedCsv<DeliverySummary>(
      'delivery created_at event kind test endpoint status attempts last_attempt answer error next_attempt'.split(
        ' ',
      ),
      row => [
        row.id,
        row.created_at,
        row.event_id,
        row.event_kind,
        String(row.is_test),
        row.url,
        row.status,
        row.attempts,
        row.last_attempt?.started_at ?? null,
        row.last_attempt?.response_status ?? null,
        row.last_attempt?.error_stage ?? null,
        row.next_attempt_at,
      ],
      async after => {
        const page = { ...query, limit: FILE_PAGE_ROWS, ...(after && { after }) }
        return pageAfter(await listDeliverySummaries(db, accountId, page), FILE_PAGE_ROWS)
      },
    ),
  }),
  getDelivery: ({ accountId, id, role, ...services }) =>
    showDelivery(services, accountId, id, may(role, 'settings')),
  redeliver: async ({ db, accountId, id, note }) => {
    const result = await redeliver(db, accountId, id)
    note(result)
    return result
  },
}
