import { type Static, Type } from 'typebox'
import { closed, described, Id, listOf, listQuery, oneOf, Timestamp } from './fields.ts'

/** Every event kind of the API. */
export const eventKinds = [
  'promoter.approved',
  'commission.created',
  'payout.paid',
  'conversion.created',
] as const
export type EventKind = (typeof eventKinds)[number]
export const EventKind = oneOf(eventKinds)

export const WebhookEndpointStatus = oneOf(['active', 'disabled'])

const fields = {
  id: described(Id, 'ID of the endpoint'),
  url: Type.String({ description: 'URL that receives deliveries' }),
  events: Type.Array(EventKind, { description: 'Subscribed event kinds' }),
  status: described(WebhookEndpointStatus, 'Events are delivered while it is active'),
  created_at: Timestamp,
}

export const WebhookEndpoint = closed(fields, { description: 'A URL subscribed to events.' })
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const WebhookEndpointCreated = closed(
  { ...fields, secret: Type.String({ description: 'Signing secret; not shown again' }) },
  { description: 'A new webhook endpoint with its signing secret.' },
)
export type WebhookEndpointCreated = Static<typeof WebhookEndpointCreated>

export const WebhookEndpointList = listOf(WebhookEndpoint)

export const CreateWebhookEndpoint = closed({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'Absolute https URL without user info or fragment (http if private destinations are allowed)',
  }),
  events: Type.Array(EventKind, {
    minItems: 1,
    description: 'Event kinds to subscribe to; duplicates are removed',
  }),
})
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>

export const ListWebhookEndpointsQuery = listQuery({
  status: Type.Optional(described(WebhookEndpointStatus, 'Only endpoints with this status')),
})
export type ListWebhookEndpointsQuery = Static<typeof ListWebhookEndpointsQuery>
