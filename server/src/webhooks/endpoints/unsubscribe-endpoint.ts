import type { WebhookEndpoint } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { deleteWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Deletes an endpoint and cancels its pending deliveries. Returns the deleted endpoint. */
export async function unsubscribeEndpoint(db: Db, accountId: number, id: number): Promise<WebhookEndpoint> {
  const endpoint = await db.transaction(tx => deleteWebhookEndpoint(tx, accountId, id))
  if (!endpoint) throw notFound('webhook endpoint')
  return presentWebhookEndpoint(endpoint)
}
