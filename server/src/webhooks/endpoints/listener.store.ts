import type { Db, Tx } from '../../db/database.ts'
import { LISTENER_NAME } from '../../db/listener.ts'
import { sql } from '../../db/sql.ts'

/** Moves on the time until which an endpoint lives; false when it is not there any more, or is switched off. */
export async function keepListening(
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

/** Endpoints whose command ended without deleting them. */
export const lapsedListeners = (db: Db): Promise<{ account_id: number; id: number }[]> =>
  db.many(sql`
    /* every account */
    SELECT w.account_id, w.id FROM webhook_endpoints w WHERE w.listens_until < now() AND w.deleted_at IS NULL`)

/** Locks an endpoint whose command has not come back; false where it has moved its time on meanwhile. */
export async function lockLapsed(tx: Tx, accountId: number, id: number): Promise<boolean> {
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
  /** Null when there is none to come. */
  next_attempt_at: string | null
}

/**
 * The attempts of the last minute. Attempts are numbered before they are committed, so one with a lower number may appear after one with a
 * higher: whoever wants each once remembers which it has seen.
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

/** Whether any process is there that would deliver: each listens on a connection of its own. */
export async function isDeliveryRunning(db: Db): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ${LISTENER_NAME} LIMIT 1`)
  return row !== undefined
}
