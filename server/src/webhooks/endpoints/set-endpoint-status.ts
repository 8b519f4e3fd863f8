import type { WebhookEndpoint } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { disableWebhookEndpoint, enableWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Enables or disables an endpoint manually. Events that occur while it is disabled can be replayed later. */
export async function setEndpointStatus(
  db: Db,
  accountId: number,
  id: number,
  status: WebhookEndpoint['status'],
): Promise<WebhookEndpoint> {
  const change = status === 'active' ? enableWebhookEndpoint : disableWebhookEndpoint
  const endpoint = await db.transaction(tx => change(tx, accountId, id))
  if (!endpoint) throw notFound('webhook endpoint')
  return presentWebhookEndpoint(endpoint)
}
