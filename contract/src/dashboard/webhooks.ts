import { Type } from 'typebox'
import { closed, Id, oneOf, Timestamp } from '../fields.ts'
import {
  CreateWebhookEndpoint,
  EventKind,
  type WebhookEndpoint,
  type WebhookEndpointCreated,
  WebhookEndpointStatus,
} from '../webhook-endpoint.ts'
import { change, Done, file, type Page, pageQuery, read, resultOf } from './schema.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'canceled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export interface WebhookEndpointSummary extends WebhookEndpoint {
  /** Since when every attempt has failed; null while it is well. */
  failing_since: string | null
  last_delivery: { id: number; status: DeliveryStatus; created_at: string } | null
}

/** What came of sending a delivery once. */
export interface DeliveryAttempt {
  number: number
  started_at: string
  duration_ms: number
  response_status: number | null
  /** The first 16 KiB of the answer, as text. */
  response_body: string | null
  /** Where it failed; null where the receiver took the event. */
  error_stage: string | null
  error: string | null
}

export interface DeliverySummary {
  id: number
  endpoint_id: number
  url: string
  event_id: number
  event_kind: EventKind
  is_test: boolean
  status: DeliveryStatus
  attempts: number
  last_attempt: Pick<DeliveryAttempt, 'started_at' | 'response_status' | 'error_stage'> | null
  /** When the next attempt is due; null when there is none. */
  next_attempt_at: string | null
  created_at: string
}

/** An attempt with what it sent. The signatures are there for those who may see the endpoint's settings. */
export type SentAttempt = DeliveryAttempt & { headers: [name: string, value: string][] }

export interface DeliveryDetail extends Omit<DeliverySummary, 'attempts' | 'last_attempt'> {
  /** The body of the request, byte for byte the same on every attempt. */
  body: string
  attempts: SentAttempt[]
  /** Whether the endpoint still takes deliveries, so that this one can be sent again. */
  endpoint_status: WebhookEndpoint['status'] | 'deleted'
}

const endpointFilters = { status: Type.Optional(WebhookEndpointStatus) }
const deliveryFilters = {
  endpoint_id: Type.Optional(Id),
  event_id: Type.Optional(Id),
  status: Type.Optional(oneOf(deliveryStatuses)),
}

export const webhooksSchemas = {
  listWebhookEndpoints: read(
    resultOf<Page<WebhookEndpointSummary>>(),
    closed({ ...pageQuery, ...endpointFilters }),
  ),
  exportWebhookEndpoints: file(closed(endpointFilters)),
  /** The signing secret is in this answer and never again. */
  createWebhookEndpoint: change(CreateWebhookEndpoint, resultOf<WebhookEndpointCreated>()),
  switchWebhookEndpoint: change(closed({ status: WebhookEndpointStatus }), resultOf<WebhookEndpoint>()),
  deleteWebhookEndpoint: change(closed({}), Done),
  sendTestEvent: change(closed({ kind: Type.Optional(EventKind) }), resultOf<{ delivery_id: number }>()),
  replayEvents: change(closed({ since: Timestamp }), resultOf<{ deliveries: number }>()),
  listDeliveries: read(resultOf<Page<DeliverySummary>>(), closed({ ...pageQuery, ...deliveryFilters })),
  exportDeliveries: file(closed(deliveryFilters)),
  getDelivery: read(resultOf<DeliveryDetail>()),
  redeliver: change(closed({}), resultOf<{ delivery_id: number }>()),
}
