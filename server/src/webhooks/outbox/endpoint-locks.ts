import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/*
 * Who promises an endpoint a delivery and who ends its deliveries take turns. A promise holds the endpoint while it is made: here, or by
 * the foreign key of the delivery where an event is recorded. Who ends deliveries waits for all of them, in a statement of its own, and
 * cancels what it finds after that. So nothing is promised to an endpoint that has stopped, and nothing promised is left behind.
 */

export interface EndpointName {
  account_id: number
  endpoint_id: number
}

export const accountsOf = (names: EndpointName[]) => names.map(({ account_id }) => account_id)
export const idsOf = (names: EndpointName[]) => names.map(({ endpoint_id }) => endpoint_id)

/**
 * Locks an endpoint that is to be promised something; false when it is deleted or disabled. Two replays take turns too, so that the
 * second leaves out what the first has promised. Events that are recorded meanwhile do not wait.
 */
export async function lockToPromise(tx: Tx, accountId: number, endpointId: number): Promise<boolean> {
  const found = await tx.first(sql`
    SELECT 1 FROM webhook_endpoints w
     WHERE w.account_id = ${accountId} AND w.id = ${endpointId} AND w.status = 'active' AND w.deleted_at IS NULL
       FOR NO KEY UPDATE`)
  return found !== undefined
}

/**
 * Ends what is promised to endpoints that stop: `stop` changes them, while nobody promises them anything, and returns those that did
 * stop. Locked in order, so that two who stop several cannot deadlock.
 */
export async function endDeliveries(
  tx: Tx,
  endpoints: EndpointName[],
  stop: () => Promise<EndpointName[]>,
): Promise<EndpointName[]> {
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
      UPDATE deliveries d SET status = 'canceled'
        FROM unnest(${accountsOf(stopped)}::bigint[], ${idsOf(stopped)}::bigint[]) AS h (account_id, endpoint_id)
       WHERE d.account_id = h.account_id AND d.endpoint_id = h.endpoint_id AND d.status = 'pending'`)
  return stopped
}
