import type { Db } from '../db/database.ts'
import { all, sql, when } from '../db/sql.ts'
import { rowsToFetch } from '../kit/page.ts'

export interface AttemptRow {
  number: number
  started_at: string
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error_stage: string | null
  error: string | null
}

export interface DeliveryRow {
  id: number
  endpoint_id: number
  event_id: number
  event_kind: string
  is_test: boolean
  status: 'pending' | 'delivered' | 'failed' | 'canceled'
  attempts: AttemptRow[]
  /** When the next attempt is due; null when there is none. */
  next_attempt_at: string | null
  created_at: string
}

export interface DeliveryLogQuery {
  id?: number | undefined
  endpointId?: number | undefined
  status?: string | undefined
  limit?: number | undefined
}

/** Deliveries with all their attempts, newest first. Answers are shown as text, whatever bytes they were. */
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
    SELECT d.id, d.endpoint_id, d.event_id, e.kind AS event_kind, e.is_test, d.status, d.created_at,
           CASE WHEN d.status = 'pending' THEN d.due_at END AS next_attempt_at,
           coalesce((SELECT json_agg(json_build_object(
                'number', a.number, 'started_at', to_char(a.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                'duration_ms', a.duration_ms, 'response_status', a.response_status,
                'response_body', encode(a.response_body, 'base64'), 'error_stage', a.error_stage, 'error', a.error)
                ORDER BY a.id)
              FROM delivery_attempts a WHERE a.account_id = d.account_id AND a.delivery_id = d.id), '[]') AS attempts
      FROM deliveries d JOIN events e ON e.account_id = d.account_id AND e.id = d.event_id
     WHERE d.account_id = ${accountId} AND ${filters}
     ORDER BY d.id DESC LIMIT ${rowsToFetch(query.limit) - 1}`)
  return rows.map(row => ({ ...row, attempts: row.attempts.map(withTextAnswer) }))
}

/** JSON carries no bytes, so the database hands them over in base64. */
const withTextAnswer = (attempt: AttemptRow): AttemptRow => ({
  ...attempt,
  response_body:
    attempt.response_body === null ? null : Buffer.from(attempt.response_body, 'base64').toString('utf8'),
})
