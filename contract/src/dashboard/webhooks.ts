import { type Static, Type } from 'typebox'
import { Count, closed, Id, nullable, oneOf, Timestamp } from '../fields.ts'
import {
  CreateWebhookEndpoint,
  EventKind,
  WebhookEndpoint,
  WebhookEndpointCreated,
  WebhookEndpointStatus,
} from '../webhook-endpoint.ts'
import { change, Done, file, pageOf, pageQuery, read, searchText } from './schema.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'canceled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const Status = oneOf(deliveryStatuses)

export const WebhookEndpointSummary = closed({
  ...WebhookEndpoint.properties,
  /** When attempts began to fail; null while they succeed. */
  failing_since: nullable(Timestamp),
  last_delivery: nullable(closed({ id: Id, status: Status, created_at: Timestamp })),
})
export type WebhookEndpointSummary = Static<typeof WebhookEndpointSummary>

export const DeliveryAttempt = closed({
  number: Count,
  started_at: Timestamp,
  duration_ms: Count,
  response_status: nullable(Type.Integer()),
  /** The first 16 KiB of the response, as text. */
  response_body: nullable(Type.String()),
  /** The stage at which it failed; null if the endpoint accepted the event. */
  error_stage: nullable(Type.String()),
  error: nullable(Type.String()),
})
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

const { started_at, response_status, error_stage } = DeliveryAttempt.properties

export const DeliverySummary = closed({
  id: Id,
  endpoint_id: Id,
  url: Type.String(),
  event_id: Id,
  event_kind: EventKind,
  is_test: Type.Boolean(),
  status: Status,
  attempts: Count,
  last_attempt: nullable(closed({ started_at, response_status, error_stage })),
  /** When the next attempt is due; null when there is none. */
  next_attempt_at: nullable(Timestamp),
  created_at: Timestamp,
})
export type DeliverySummary = Static<typeof DeliverySummary>

/** An attempt with its request. Signatures are included for users who may see the endpoint's settings. */
export const SentAttempt = closed({
  ...DeliveryAttempt.properties,
  /** Header names and values. */
  headers: Type.Array(Type.Tuple([Type.String(), Type.String()])),
})
export type SentAttempt = Static<typeof SentAttempt>

export const DeliveryDetail = closed({
  ...Type.Omit(DeliverySummary, ['attempts', 'last_attempt']).properties,
  /** The request body, identical for every attempt. */
  body: Type.String(),
  attempts: Type.Array(SentAttempt),
  /** Whether the endpoint is active, so the delivery can be resent. */
  endpoint_status: oneOf(['active', 'disabled', 'deleted']),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

const DeliveryId = closed({ delivery_id: Id })
const endpointFilters = {
  status: Type.Optional(WebhookEndpointStatus),
  is_failing: Type.Optional(Type.Literal(true)),
}
const deliveryFilters = {
  /** The ID of a delivery or an event. */
  q: searchText,
  endpoint_id: Type.Optional(Id),
  event_id: Type.Optional(Id),
  status: Type.Optional(Status),
}

export const webhooksSchemas = {
  listWebhookEndpoints: read(pageOf(WebhookEndpointSummary), closed({ ...pageQuery, ...endpointFilters })),
  exportWebhookEndpoints: file(closed(endpointFilters)),
  /** The response has the signing secret, which is not returned again. */
  createWebhookEndpoint: change(CreateWebhookEndpoint, WebhookEndpointCreated),
  switchWebhookEndpoint: change(closed({ status: WebhookEndpointStatus }), WebhookEndpoint),
  deleteWebhookEndpoint: change(closed({}), Done),
  sendTestEvent: change(closed({ kind: Type.Optional(EventKind) }), DeliveryId),
  replayEvents: change(closed({ since: Timestamp }), closed({ deliveries: Count })),
  listDeliveries: read(pageOf(DeliverySummary), closed({ ...pageQuery, ...deliveryFilters })),
  exportDeliveries: file(closed(deliveryFilters)),
  getDelivery: read(DeliveryDetail),
  redeliver: change(closed({}), DeliveryId),
}
