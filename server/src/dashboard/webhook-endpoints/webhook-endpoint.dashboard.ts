import { type DashboardQuery, type DeliverySummary, may } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { listFile } from '../../kit/list-file.ts'
import { pageAfter } from '../../kit/page.ts'
import { listDeliverySummaries } from '../../webhooks/endpoints/delivery-log.store.ts'
import { redeliver, replayEvents, sendTestEvent } from '../../webhooks/endpoints/redeliver.ts'
import { setEndpointStatus } from '../../webhooks/endpoints/set-endpoint-status.ts'
import { showDelivery } from '../../webhooks/endpoints/show-delivery.ts'
import { subscribeEndpoint } from '../../webhooks/endpoints/subscribe-endpoint.ts'
import { unsubscribeEndpoint } from '../../webhooks/endpoints/unsubscribe-endpoint.ts'
import { listEndpointSummaries } from '../../webhooks/endpoints/webhook-endpoint.store.ts'
import type { DashboardHandlers } from '../call.ts'

const endpointsPage = async (db: Db, accountId: number, query: DashboardQuery<'listWebhookEndpoints'>) =>
  pageAfter(await listEndpointSummaries(db, accountId, query), query.limit)

const deliveriesPage = async (db: Db, accountId: number, query: DashboardQuery<'listDeliveries'>) =>
  pageAfter(await listDeliverySummaries(db, accountId, query), query.limit)

const deliveryLine = ({ last_attempt, ...row }: DeliverySummary) => ({
  ...row,
  last_attempt_at: last_attempt?.started_at,
  response_status: last_attempt?.response_status,
  error_stage: last_attempt?.error_stage,
})

export const webhookEndpointDashboard: DashboardHandlers<
  | 'listWebhookEndpoints'
  | 'exportWebhookEndpoints'
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
  listWebhookEndpoints: ({ db, accountId, query }) => endpointsPage(db, accountId, query),
  exportWebhookEndpoints: async ({ db, accountId, query }) =>
    listFile(
      'webhook-endpoints.csv',
      ['id', 'created_at', 'url', 'events', 'status', 'failing_since', 'last_delivery'],
      page => endpointsPage(db, accountId, { ...query, ...page }),
    ),
  createWebhookEndpoint: ({ accountId, body, ...services }) => subscribeEndpoint(services, accountId, body),
  switchWebhookEndpoint: async ({ db, accountId, id, body, note }) => {
    const endpoint = await setEndpointStatus(db, accountId, id, body.status)
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
  listDeliveries: ({ db, accountId, query }) => deliveriesPage(db, accountId, query),
  exportDeliveries: async ({ db, accountId, query }) =>
    listFile(
      'deliveries.csv',
      [
        'id',
        'created_at',
        'event_id',
        'event_kind',
        'is_test',
        'endpoint_id',
        'url',
        'status',
        'attempts',
        'last_attempt_at',
        'response_status',
        'error_stage',
        'next_attempt_at',
      ],
      async page => {
        const { data, next } = await deliveriesPage(db, accountId, { ...query, ...page })
        return { data: data.map(deliveryLine), next }
      },
    ),
  getDelivery: ({ accountId, id, role, ...services }) =>
    showDelivery(services, accountId, id, may(role, 'settings')),
  redeliver: async ({ db, accountId, id, note }) => {
    const result = await redeliver(db, accountId, id)
    note(result)
    return result
  },
}
