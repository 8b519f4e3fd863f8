import type { EventKind, ListWebhookEndpointsQuery } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { all, inRange, sql, when } from '../db/sql.ts'
import { rowsToFetch } from '../kit/page.ts'
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
    SELECT ${columns} FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND ${filters}
    ORDER BY w.id DESC LIMIT ${rowsToFetch(query.limit)}`)
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

/** Returns whether there was one to delete. */
export async function deleteWebhookEndpoint(db: Db, accountId: number, id: number): Promise<boolean> {
  const deleted = await db.first(sql`
    DELETE FROM webhook_endpoints WHERE account_id = ${accountId} AND id = ${id} RETURNING id`)
  return deleted !== undefined
}
