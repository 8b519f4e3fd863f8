import type { EventKind, ListWebhookEndpointsQuery } from '@tributary/contract'
import type { WebhookEndpointSummary } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, keyset, sql, when } from '../../db/sql.ts'
import { rowsAfter, rowsToFetch } from '../../kit/page.ts'
import { cancelDeliveries } from '../outbox/endpoint-locks.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'

const columns = sql`w.id, w.url, w.events, w.status, w.created_at`

export function listWebhookEndpoints(
  db: Db,
  accountId: number,
  query: ListWebhookEndpointsQuery,
): Promise<WebhookEndpointRow[]> {
  const filters = all(
    ...inRange(sql`w.id`, sql`w.created_at`, query),
    when(query.status, status => sql`w.status = ${status}`),
  )
  return db.many(sql`
    SELECT ${columns} FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND w.deleted_at IS NULL AND ${filters}
    ORDER BY w.id DESC LIMIT ${rowsToFetch(query.limit)}`)
}

/** Whether the endpoint aliased `w` is failing. The overview counts with it. */
export const isFailing = sql`w.failing_since IS NOT NULL`

/** Endpoints with their health and latest delivery. */
export function listEndpointSummaries(
  db: Db,
  accountId: number,
  query: { after?: number; limit?: number; order?: 'newest' | 'oldest'; status?: string; is_failing?: true },
): Promise<WebhookEndpointSummary[]> {
  const { from, order } = keyset(sql`w.id`, query)
  const filters = all(
    from,
    when(query.status, status => sql`w.status = ${status}`),
    when(query.is_failing, () => isFailing),
  )
  return db.many(sql`
    SELECT ${columns}, w.failing_since,
           (SELECT json_build_object('id', d.id, 'status', d.status,
                     'created_at', to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
              FROM deliveries d WHERE d.account_id = w.account_id AND d.endpoint_id = w.id
             ORDER BY d.id DESC LIMIT 1) AS last_delivery
      FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND w.deleted_at IS NULL AND ${filters}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}

/**
 * Counts an account's endpoints, disabled ones included, and blocks concurrent additions until the transaction ends. The lock is taken
 * in a separate statement: the snapshot of one that waited for it would be stale.
 */
export async function lockAndCountEndpoints(tx: Tx, accountId: number): Promise<number> {
  await tx.many(
    sql`SELECT pg_advisory_xact_lock(hashtextextended('webhook endpoints ' || ${accountId}::bigint, 0))`,
  )
  const row = await tx.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM webhook_endpoints w
     WHERE w.account_id = ${accountId} AND w.deleted_at IS NULL`)
  return row?.count ?? 0
}

export async function insertWebhookEndpoint(
  db: Db,
  accountId: number,
  endpoint: { url: string; events: EventKind[]; sealedSecret: Buffer },
): Promise<WebhookEndpointRow> {
  const row = await db.first<WebhookEndpointRow>(sql`
    INSERT INTO webhook_endpoints AS w (account_id, url, events, status, sealed_secret)
    VALUES (${accountId}, ${endpoint.url}, ${endpoint.events}, 'active', ${endpoint.sealedSecret})
    RETURNING ${columns}`)
  return row as WebhookEndpointRow
}

export function findWebhookEndpoint(
  db: Db,
  accountId: number,
  id: number,
): Promise<WebhookEndpointRow | undefined> {
  return db.first(sql`SELECT ${columns} FROM webhook_endpoints w
    WHERE w.account_id = ${accountId} AND w.id = ${id} AND w.deleted_at IS NULL`)
}

/** Enables an endpoint and resets its health; undefined if it does not exist. */
export function enableWebhookEndpoint(
  db: Db,
  accountId: number,
  id: number,
): Promise<WebhookEndpointRow | undefined> {
  return db.first(sql`
    UPDATE webhook_endpoints w SET status = 'active', failing_since = NULL
     WHERE w.account_id = ${accountId} AND w.id = ${id} AND w.deleted_at IS NULL RETURNING ${columns}`)
}

/** Stops an endpoint and cancels its pending deliveries; undefined if it does not exist. */
async function stopEndpoint(
  tx: Tx,
  accountId: number,
  id: number,
  stop: () => Promise<WebhookEndpointRow | undefined>,
): Promise<WebhookEndpointRow | undefined> {
  const key = { account_id: accountId, endpoint_id: id }
  let stopped: WebhookEndpointRow | undefined
  await cancelDeliveries(tx, [key], async () => {
    stopped = await stop()
    return stopped ? [key] : []
  })
  return stopped
}

export const disableWebhookEndpoint = (tx: Tx, accountId: number, id: number) =>
  stopEndpoint(tx, accountId, id, () =>
    tx.first<WebhookEndpointRow>(sql`
      UPDATE webhook_endpoints w SET status = 'disabled'
       WHERE w.account_id = ${accountId} AND w.id = ${id} AND w.deleted_at IS NULL RETURNING ${columns}`),
  )

/** Deletes an endpoint and its secret. The row is kept for its delivery log. */
export const deleteWebhookEndpoint = (tx: Tx, accountId: number, id: number) =>
  stopEndpoint(tx, accountId, id, () =>
    tx.first<WebhookEndpointRow>(sql`
      UPDATE webhook_endpoints w SET deleted_at = now(), sealed_secret = NULL
       WHERE w.account_id = ${accountId} AND w.id = ${id} AND w.deleted_at IS NULL RETURNING ${columns}`),
  )
