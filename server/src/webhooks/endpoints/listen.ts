import type { EventKind, WebhookEndpointCreated } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import { expiredListeners, lockExpiredListener, renewListener } from './listener.store.ts'
import { subscribeEndpoint } from './subscribe-endpoint.ts'
import { deleteWebhookEndpoint } from './webhook-endpoint.store.ts'

/** How long an endpoint outlives a killed command, until the service or the next `listen` deletes it. */
export const LEASE_SECONDS = 30

/** Subscribes a URL until its lease is no longer renewed. */
export function startListening(
  services: Services,
  accountId: number,
  endpoint: { url: string; events: EventKind[] },
): Promise<WebhookEndpointCreated> {
  return services.db.transaction(async tx => {
    const created = await subscribeEndpoint({ ...services, db: tx }, accountId, endpoint)
    await renewListener(tx, accountId, created.id, LEASE_SECONDS)
    return created
  })
}

/** Deletes the endpoints that killed commands left behind. Safe to run concurrently. */
export async function deleteExpiredListeners(db: Db): Promise<void> {
  for (const { account_id, id } of await expiredListeners(db))
    await db.transaction(async tx => {
      if (await lockExpiredListener(tx, account_id, id)) await deleteWebhookEndpoint(tx, account_id, id)
    })
}
