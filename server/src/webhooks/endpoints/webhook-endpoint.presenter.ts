import type { WebhookEndpoint } from '@tributary/contract'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'

export const presentWebhookEndpoint = (row: WebhookEndpointRow): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  events: row.events,
  status: row.status,
  created_at: row.created_at,
})
