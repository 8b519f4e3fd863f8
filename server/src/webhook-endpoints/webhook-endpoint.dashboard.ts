import { may } from '@tributary/contract/dashboard'
import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { pageAfter } from '../kit/page.ts'
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
  getDelivery: ({ accountId, id, role, ...services }) =>
    showDelivery(services, accountId, id, may(role, 'settings')),
  redeliver: async ({ db, accountId, id, note }) => {
    const result = await redeliver(db, accountId, id)
    note(result)
    return result
  },
}
