import type { WebhookEndpoint } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalid, invalidState, notFound } from '../../kit/domain-error.ts'
import { isTimestamp } from '../../kit/timestamp.ts'
import { promiseAgain, promiseEventsSince, promiseTestEvent, type Since } from '../outbox/promise-delivery.ts'
import { listDeliveries } from './delivery-log.store.ts'
import { sampleEvents } from './sample-events.ts'
import { findWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Nothing is delivered to an endpoint that is switched off, so nothing is promised to it either. */
async function assertActive(db: Db, accountId: number, endpointId: number): Promise<WebhookEndpoint> {
  const endpoint = await findWebhookEndpoint(db, accountId, endpointId)
  if (!endpoint) throw notFound('webhook endpoint')
  if (endpoint.status !== 'active') throw isDisabled()
  return endpoint
}

const isDisabled = () => invalidState('The webhook endpoint is disabled; enable it first.')

/** Sends one event once more, with a full set of attempts, whatever became of it before. */
export async function redeliver(
  db: Db,
  accountId: number,
  deliveryId: number,
): Promise<{ delivery_id: number }> {
  const [delivery] = await listDeliveries(db, accountId, { id: deliveryId })
  if (!delivery) throw notFound('delivery')
  await assertActive(db, accountId, delivery.endpoint_id)
  const id = await promiseAgain(db, accountId, delivery)
  if (id === undefined) throw isDisabled()
  return { delivery_id: id }
}

/** Sends an endpoint everything that it subscribes to and that happened since then. */
export async function replayEvents(
  db: Db,
  accountId: number,
  endpointId: number,
  since: Since,
): Promise<{ deliveries: number }> {
  if ('time' in since && !isTimestamp(since.time))
    throw invalid('since', 'must be an RFC 3339 timestamp such as 2026-01-31T12:00:00.000Z')
  await assertActive(db, accountId, endpointId)
  const deliveries = await promiseEventsSince(db, accountId, endpointId, since)
  if (deliveries === undefined) throw isDisabled()
  return { deliveries }
}

/** Sends a sample in the real shape, marked by a header, to check the wiring. */
export async function sendTestEvent(
  db: Db,
  accountId: number,
  endpointId: number,
  kind?: keyof typeof sampleEvents,
): Promise<{ delivery_id: number }> {
  const endpoint = await assertActive(db, accountId, endpointId)
  const chosen = kind ?? (endpoint.events[0] as keyof typeof sampleEvents)
  const id = await promiseTestEvent(db, accountId, endpointId, { kind: chosen, data: sampleEvents[chosen] })
  if (id === undefined) throw isDisabled()
  return { delivery_id: id }
}
