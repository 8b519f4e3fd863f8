import type { WebhookEndpoint } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { deleteWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Ends a subscription, and with it everything that was still to be delivered. Returns what it was. */
export async function unsubscribeEndpoint(db: Db, accountId: number, id: number): Promise<WebhookEndpoint> {
  const endpoint = await db.transaction(tx => deleteWebhookEndpoint(tx, accountId, id))
  if (!endpoint) throw notFound('webhook endpoint')
  return presentWebhookEndpoint(endpoint)
}
