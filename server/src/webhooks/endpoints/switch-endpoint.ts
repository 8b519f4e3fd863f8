import type { WebhookEndpoint } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { presentWebhookEndpoint } from './webhook-endpoint.presenter.ts'
import { disableWebhookEndpoint, enableWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Switches an endpoint on or off by hand. What happens while it is off can be replayed once it is on again. */
export async function switchEndpoint(
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
