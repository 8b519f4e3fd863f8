import type { DeliveryAttempt, DeliveryDetail, DeliverySummary } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { all, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { rowsAfter, rowsToFetch } from '../../kit/page.ts'

export interface DeliveryRow {
  id: number
  endpoint_id: number
  event_id: number
  event_kind: string
  is_test: boolean
  status: 'pending' | 'delivered' | 'failed' | 'canceled'
  attempts: DeliveryAttempt[]
  /** When the next attempt is due; null if there is none. */
  next_attempt_at: string | null
  created_at: string
}

export interface DeliveryLogQuery {
  id?: number | undefined
  endpointId?: number | undefined
  status?: string | undefined
  limit?: number | undefined
}

const columns = sql`
  d.id, d.endpoint_id, d.event_id, e.kind AS event_kind, e.is_test, d.status, d.created_at,
  CASE WHEN d.status = 'pending' THEN d.due_at END AS next_attempt_at`

/** JSON has neither bytes nor timestamps: bytes are encoded in base64, timestamps in the API's format. */
const startedAt = sql`to_char(a.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const attempts = sql`
  coalesce((SELECT json_agg(json_build_object(
       'number', a.number, 'started_at', ${startedAt}, 'duration_ms', a.duration_ms, 'response_status', a.response_status,
       'response_body', encode(a.response_body, 'base64'), 'error_stage', a.error_stage, 'error', a.error)
       ORDER BY a.id)
     FROM delivery_attempts a WHERE a.account_id = d.account_id AND a.delivery_id = d.id), '[]') AS attempts`

/** Response bodies are decoded as UTF-8, whatever their bytes are. */
const withTextResponses = <Row extends { attempts: DeliveryAttempt[] }>(row: Row): Row => ({
  ...row,
  attempts: row.attempts.map(attempt => ({
    ...attempt,
    response_body:
      attempt.response_body === null ? null : Buffer.from(attempt.response_body, 'base64').toString('utf8'),
  })),
})

/** Deliveries with all their attempts, newest first. */
export async function listDeliveries(
  db: Db,
  accountId: number,
  query: DeliveryLogQuery,
): Promise<DeliveryRow[]> {
  const filters = all(
    when(query.id, id => sql`d.id = ${id}`),
    when(query.endpointId, id => sql`d.endpoint_id = ${id}`),
    when(query.status, status => sql`d.status = ${status}`),
  )
  const rows = await db.many<DeliveryRow>(sql`
    SELECT ${columns}, ${attempts}
      FROM deliveries d JOIN events e ON e.account_id = d.account_id AND e.id = d.event_id
     WHERE d.account_id = ${accountId} AND ${filters}
     ORDER BY d.id DESC LIMIT ${rowsToFetch(query.limit) - 1}`)
  return rows.map(withTextResponses)
}

/** Literals, so that the planner can use the partial index: most deliveries are delivered, and few are in any other status. */
const inStatus: Record<DeliverySummary['status'], Sql> = {
  pending: sql`d.status = 'pending'`,
  delivered: sql`d.status = 'delivered'`,
  failed: sql`d.status = 'failed'`,
  canceled: sql`d.status = 'canceled'`,
}

/**
 * The delivery with this ID, and those of the event with it. Named by their IDs, so that PostgreSQL looks them up instead of reading the log
 * in its order.
 */
function identified(accountId: number, text: string): Sql {
  const id = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0
  return sql`d.id = ANY (array_append(
    ARRAY(SELECT o.id FROM deliveries o WHERE o.account_id = ${accountId} AND o.event_id = ${id}), ${id}::bigint))`
}

/** A page of the log: each delivery with its latest attempt only, without response bodies. */
export function listDeliverySummaries(
  db: Db,
  accountId: number,
  query: {
    after?: number
    limit?: number
    order?: 'newest' | 'oldest'
    endpoint_id?: number
    event_id?: number
    status?: DeliverySummary['status']
    q?: string
  },
): Promise<DeliverySummary[]> {
  // What a search found is sorted: read in the order of an index, the log would be read to its beginning.
  const { from, order } = keyset(query.q === undefined ? sql`d.id` : sql`(d.id + 0)`, query)
  const filters = all(
    from,
    when(query.endpoint_id, id => sql`d.endpoint_id = ${id}`),
    when(query.event_id, id => sql`d.event_id = ${id}`),
    when(query.status, status => inStatus[status]),
    when(query.q, text => identified(accountId, text)),
  )
  return db.many(sql`
    SELECT ${columns}, w.url, d.attempts,
           (SELECT json_build_object('started_at', ${startedAt}, 'response_status', a.response_status, 'error_stage', a.error_stage)
              FROM delivery_attempts a WHERE a.account_id = d.account_id AND a.delivery_id = d.id
             ORDER BY a.id DESC LIMIT 1) AS last_attempt
      FROM deliveries d JOIN events e ON e.account_id = d.account_id AND e.id = d.event_id
      JOIN webhook_endpoints w ON w.account_id = d.account_id AND w.id = d.endpoint_id
     WHERE d.account_id = ${accountId} AND ${filters}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}

export type DeliveryWithRequest = Omit<DeliveryDetail, 'attempts'> & {
  attempts: DeliveryAttempt[]
  /** Null once the endpoint is deleted. */
  sealed_secret: Buffer | null
}

/** One delivery with its payload, its endpoint and every attempt. */
export async function findDelivery(
  db: Db,
  accountId: number,
  id: number,
): Promise<DeliveryWithRequest | undefined> {
  const row = await db.first<DeliveryWithRequest>(sql`
    SELECT ${columns}, ${attempts}, w.url, e.body, w.sealed_secret,
           CASE WHEN w.deleted_at IS NULL THEN w.status ELSE 'deleted' END AS endpoint_status
      FROM deliveries d JOIN events e ON e.account_id = d.account_id AND e.id = d.event_id
      JOIN webhook_endpoints w ON w.account_id = d.account_id AND w.id = d.endpoint_id
     WHERE d.account_id = ${accountId} AND d.id = ${id}`)
  return row && withTextResponses(row)
}
