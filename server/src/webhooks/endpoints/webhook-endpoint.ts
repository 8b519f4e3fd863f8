import type { WebhookEndpoint } from '@tributary/contract'

export type WebhookEndpointRow = WebhookEndpoint
