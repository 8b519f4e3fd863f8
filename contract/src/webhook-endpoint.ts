import { type Static, Type } from 'typebox'
import { closed, described, Id, listOf, listQuery, oneOf, Timestamp } from './fields.ts'

/** The whole event catalogue of the interface. */
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
  id: described(Id, 'The endpoint'),
  url: Type.String({ description: 'Address that receives deliveries' }),
  events: Type.Array(EventKind, { description: 'Subscribed event kinds' }),
  status: described(WebhookEndpointStatus, 'Whether events are delivered to it'),
  created_at: Timestamp,
}

export const WebhookEndpoint = closed(fields, { description: 'A subscriber to events.' })
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const WebhookEndpointCreated = closed(
  { ...fields, secret: Type.String({ description: 'The signing secret; shown here and never again' }) },
  { description: 'A new subscriber with its signing secret.' },
)
export type WebhookEndpointCreated = Static<typeof WebhookEndpointCreated>

export const WebhookEndpointList = listOf(WebhookEndpoint)

export const CreateWebhookEndpoint = closed({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'Absolute https URL without user info or fragment (http where private destinations are allowed)',
  }),
  events: Type.Array(EventKind, { minItems: 1, description: 'Duplicates are folded' }),
})
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>

export const ListWebhookEndpointsQuery = listQuery({
  status: Type.Optional(described(WebhookEndpointStatus, 'In this status')),
})
export type ListWebhookEndpointsQuery = Static<typeof ListWebhookEndpointsQuery>
