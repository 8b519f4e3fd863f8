import type { WebhookEndpoint } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalid, invalidState, notFound } from '../../kit/domain-error.ts'
import { isTimestamp } from '../../kit/timestamp.ts'
import { queueEventsSince, queueTestEvent, requeueDelivery, type Since } from '../outbox/queue-deliveries.ts'
import { listDeliveries } from './delivery-log.store.ts'
import { sampleEvents } from './sample-events.ts'
import { findWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Nothing is queued for a disabled endpoint, because it would never be delivered. */
async function assertActive(db: Db, accountId: number, endpointId: number): Promise<WebhookEndpoint> {
  const endpoint = await findWebhookEndpoint(db, accountId, endpointId)
  if (!endpoint) throw notFound('webhook endpoint')
  if (endpoint.status !== 'active') throw endpointDisabled()
  return endpoint
}

const endpointDisabled = () => invalidState('The webhook endpoint is disabled. Enable it first.')

/** Sends one event again with a full set of attempts, whatever the status of the earlier delivery. */
export async function redeliver(
  db: Db,
  accountId: number,
  deliveryId: number,
): Promise<{ delivery_id: number }> {
  const [delivery] = await listDeliveries(db, accountId, { id: deliveryId })
  if (!delivery) throw notFound('delivery')
  await assertActive(db, accountId, delivery.endpoint_id)
  const id = await requeueDelivery(db, accountId, delivery)
  if (id === undefined) throw endpointDisabled()
  return { delivery_id: id }
}

/** Sends an endpoint all events since then that it subscribes to. */
export async function replayEvents(
  db: Db,
  accountId: number,
  endpointId: number,
  since: Since,
): Promise<{ deliveries: number }> {
  if ('time' in since && !isTimestamp(since.time))
    throw invalid('since', 'must be an RFC 3339 timestamp such as 2026-01-31T12:00:00.000Z')
  await assertActive(db, accountId, endpointId)
  const deliveries = await queueEventsSince(db, accountId, endpointId, since)
  if (deliveries === undefined) throw endpointDisabled()
  return { deliveries }
}

/** Sends a sample payload, marked by a header, to test the integration. */
export async function sendTestEvent(
  db: Db,
  accountId: number,
  endpointId: number,
  kind?: keyof typeof sampleEvents,
): Promise<{ delivery_id: number }> {
  const endpoint = await assertActive(db, accountId, endpointId)
  const chosen = kind ?? (endpoint.events[0] as keyof typeof sampleEvents)
  const id = await queueTestEvent(db, accountId, endpointId, { kind: chosen, data: sampleEvents[chosen] })
  if (id === undefined) throw endpointDisabled()
  return { delivery_id: id }
}
