import type { Db, Tx } from '../../db/database.ts'
import { LISTENER_NAME } from '../../db/listener.ts'
import { sql } from '../../db/sql.ts'

/** Renews an endpoint's lease; false if it is deleted or disabled. */
export async function renewListener(
  db: Db,
  accountId: number,
  id: number,
  seconds: number,
): Promise<boolean> {
  const row = await db.first(sql`
    UPDATE webhook_endpoints w SET listens_until = now() + make_interval(secs => ${seconds})
     WHERE w.account_id = ${accountId} AND w.id = ${id} AND w.status = 'active' AND w.deleted_at IS NULL
    RETURNING 1`)
  return row !== undefined
}

/** Endpoints whose lease has expired: the command ended without deleting them. */
export const expiredListeners = (db: Db): Promise<{ account_id: number; id: number }[]> =>
  db.many(sql`
    /* every account */
    SELECT w.account_id, w.id FROM webhook_endpoints w WHERE w.listens_until < now() AND w.deleted_at IS NULL`)

/** Locks an endpoint whose lease has expired; false if it has been renewed since. */
export async function lockExpiredListener(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const found = await tx.first(sql`
    SELECT 1 FROM webhook_endpoints w
     WHERE w.account_id = ${accountId} AND w.id = ${id} AND w.listens_until < now() AND w.deleted_at IS NULL FOR UPDATE`)
  return found !== undefined
}

export interface ForwardedAttempt {
  id: number
  event_id: number
  event_kind: string
  number: number
  started_at: string
  duration_ms: number
  response_status: number | null
  error_stage: string | null
  error: string | null
  /** Null if there is none. */
  next_attempt_at: string | null
}

/**
 * The attempts of the last minute. Ids are assigned before the commit, so a lower one may appear after a higher one: to see each once,
 * the caller has to remember the ids it has seen.
 */
export const recentAttempts = (db: Db, accountId: number, endpointId: number): Promise<ForwardedAttempt[]> =>
  db.many(sql`
    SELECT a.id, d.event_id, e.kind AS event_kind, a.number, a.started_at, a.duration_ms, a.response_status, a.error_stage, a.error,
           CASE WHEN d.status = 'pending' THEN d.due_at END AS next_attempt_at
      FROM deliveries d
      JOIN events e ON e.account_id = d.account_id AND e.id = d.event_id
      JOIN delivery_attempts a ON a.account_id = d.account_id AND a.delivery_id = d.id
     WHERE d.account_id = ${accountId} AND d.endpoint_id = ${endpointId} AND a.started_at > now() - interval '1 minute'
     ORDER BY a.id`)

/** Whether any process is delivering: each has a LISTEN connection. */
export async function isDeliveryRunning(db: Db): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ${LISTENER_NAME} LIMIT 1`)
  return row !== undefined
}
