import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { DELIVERIES_CHANNEL } from './record-event.ts'

/*
 * Queueing a delivery and canceling an endpoint's deliveries exclude each other. Queueing holds a lock on the endpoint's row: here, or
 * through the delivery's foreign key where an event is recorded. Canceling waits for all of those in a separate statement, then cancels
 * what it finds. So nothing is queued for a stopped endpoint, and no queued delivery is missed.
 */

export interface EndpointKey {
  account_id: number
  endpoint_id: number
}

export const accountsOf = (keys: EndpointKey[]) => keys.map(({ account_id }) => account_id)
export const idsOf = (keys: EndpointKey[]) => keys.map(({ endpoint_id }) => endpoint_id)

/**
 * Locks an endpoint before queueing deliveries for it; false if it is deleted or disabled. Two replays are serialized too, so that the
 * second skips what the first has queued. Recording events is not blocked.
 */
export async function lockActiveEndpoint(tx: Tx, accountId: number, endpointId: number): Promise<boolean> {
  const found = await tx.first(sql`
    SELECT 1 FROM webhook_endpoints w
     WHERE w.account_id = ${accountId} AND w.id = ${endpointId} AND w.status = 'active' AND w.deleted_at IS NULL
       FOR NO KEY UPDATE`)
  return found !== undefined
}

/**
 * Cancels the pending deliveries of endpoints that stop: `stop` updates them while the lock prevents queueing, and returns those that
 * did stop. Locked in order, so that two concurrent calls can't deadlock.
 */
export async function cancelDeliveries(
  tx: Tx,
  endpoints: EndpointKey[],
  stop: () => Promise<EndpointKey[]>,
): Promise<EndpointKey[]> {
  await tx.many(sql`
    /* every account */
    SELECT 1 FROM webhook_endpoints w
      JOIN unnest(${accountsOf(endpoints)}::bigint[], ${idsOf(endpoints)}::bigint[]) AS h (account_id, endpoint_id)
        ON w.account_id = h.account_id AND w.id = h.endpoint_id
     ORDER BY w.account_id, w.id FOR UPDATE OF w`)
  const stopped = await stop()
  if (stopped.length > 0)
    await tx.many(sql`
      /* every account */
      WITH canceled AS (
        UPDATE deliveries d SET status = 'canceled'
          FROM unnest(${accountsOf(stopped)}::bigint[], ${idsOf(stopped)}::bigint[]) AS h (account_id, endpoint_id)
         WHERE d.account_id = h.account_id AND d.endpoint_id = h.endpoint_id AND d.status = 'pending')
      -- Workers drop what they have claimed ahead.
      SELECT pg_notify(${DELIVERIES_CHANNEL}, endpoint_id::text) FROM unnest(${idsOf(stopped)}::bigint[]) AS h (endpoint_id)`)
  return stopped
}
