import type { EventKind, WebhookEndpointCreated } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import { keepListening, lapsedListeners, lockLapsed } from './listener.store.ts'
import { subscribeEndpoint } from './subscribe-endpoint.ts'
import { deleteWebhookEndpoint } from './webhook-endpoint.store.ts'

/** How long an endpoint outlives a command that was killed, until the service or the next `listen` finds it. */
export const LEASE_SECONDS = 30

/** Subscribes an address for as long as somebody keeps saying so. */
export function startListening(
  services: Services,
  accountId: number,
  endpoint: { url: string; events: EventKind[] },
): Promise<WebhookEndpointCreated> {
  return services.db.transaction(async tx => {
    const created = await subscribeEndpoint({ ...services, db: tx }, accountId, endpoint)
    await keepListening(tx, accountId, created.id, LEASE_SECONDS)
    return created
  })
}

/** Deletes the endpoints that commands have left behind; another process may be doing the same. */
export async function endLapsedListeners(db: Db): Promise<void> {
  for (const { account_id, id } of await lapsedListeners(db))
    await db.transaction(async tx => {
      if (await lockLapsed(tx, account_id, id)) await deleteWebhookEndpoint(tx, account_id, id)
    })
}
