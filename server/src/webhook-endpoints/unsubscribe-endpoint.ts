import type { Db } from '../db/database.ts'
import { notFound } from '../kit/domain-error.ts'
import { deleteWebhookEndpoint } from './webhook-endpoint.store.ts'

/** Ends a subscription, and with it everything that was still to be delivered. */
export async function unsubscribeEndpoint(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await db.transaction(tx => deleteWebhookEndpoint(tx, accountId, id))))
    throw notFound('webhook endpoint')
}
