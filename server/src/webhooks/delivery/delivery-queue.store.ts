import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Clock } from '../../kit/clock.ts'
import { accountsOf, cancelDeliveries, type EndpointKey, idsOf } from '../outbox/endpoint-locks.ts'
import type { AttemptResult, ClaimedDelivery } from './delivery.ts'

/**
 * Records the results of a batch of attempts. Every attempt is logged, but a delivery canceled in the meantime stays canceled, and a failure
 * counts only under the lease that it was sent under: another worker may be sending the delivery. A success always counts, because the
 * receiver has the event.
 */
export function recordAttempts(tx: Tx, clock: Clock, results: AttemptResult[]): void {
  const accounts = results.map(({ delivery }) => delivery.account_id)
  const ids = results.map(({ delivery }) => delivery.id)
  tx.send(sql`
    /* every account */
    INSERT INTO delivery_attempts (account_id, delivery_id, number, started_at, duration_ms, response_status,
                                   response_body, error_stage, error)
    SELECT * FROM unnest(
      ${accounts}::bigint[], ${ids}::bigint[], ${results.map(({ delivery }) => delivery.attempts + 1)}::integer[],
      ${results.map(({ startedAtMs }) => new Date(startedAtMs))}::timestamptz[],
      ${results.map(({ outcome }) => outcome.durationMs)}::integer[],
      ${results.map(({ outcome }) => outcome.status ?? null)}::integer[],
      ${results.map(({ outcome }) => outcome.response ?? null)}::bytea[],
      ${results.map(({ outcome }) => outcome.failure?.stage ?? null)}::text[],
      ${results.map(({ outcome }) => outcome.failure?.message ?? null)}::text[])`)
  // In a CASE, because a plain status = 'pending' would let the planner read the whole queue through its index: it expects an empty one.
  tx.send(sql`
    /* every account */
    UPDATE deliveries d
       SET status = r.status, attempts = d.attempts + 1, leased_until = NULL,
           due_at = now() + make_interval(secs => (${clock.offsetMs}::double precision + r.delay_ms) / 1000)
      FROM unnest(${accounts}::bigint[], ${ids}::bigint[], ${results.map(({ next }) => next.status)}::text[],
                  ${results.map(({ next }) => ('delayMs' in next ? next.delayMs : 0))}::double precision[],
                  ${results.map(({ delivery }) => delivery.leased_until)}::timestamptz[])
           AS r (account_id, id, status, delay_ms, leased_until)
     WHERE d.account_id = r.account_id AND d.id = r.id
       AND CASE WHEN r.status = 'delivered' THEN d.status IN ('pending', 'failed')
                ELSE d.status = 'pending' AND d.leased_until IS NOT DISTINCT FROM r.leased_until END`)
}

/**
 * Records since when an endpoint has been failing; a success resets it. Runs before `recordAttempts`: it locks every endpoint that may
 * be changed or disabled, in order, and deletion also locks the endpoint before its deliveries. So neither two workers nor a worker and
 * a deletion can deadlock.
 */
export function recordHealth(
  tx: Tx,
  clock: Clock,
  health: { healthy: EndpointKey[]; failing: EndpointKey[] },
): void {
  const touched = [...health.healthy, ...health.failing]
  const isFailing = [...health.healthy.map(() => false), ...health.failing.map(() => true)]
  tx.send(sql`
    /* every account */
    WITH locked AS (
      SELECT w.account_id, w.id, w.failing_since, h.failing
        FROM unnest(${accountsOf(touched)}::bigint[], ${idsOf(touched)}::bigint[], ${isFailing}::boolean[])
             AS h (account_id, endpoint_id, failing)
        JOIN webhook_endpoints w ON w.account_id = h.account_id AND w.id = h.endpoint_id
       WHERE h.failing OR w.failing_since IS NOT NULL
       ORDER BY w.account_id, w.id FOR UPDATE OF w)
    UPDATE webhook_endpoints w
       SET failing_since = CASE WHEN locked.failing
                                THEN now() + make_interval(secs => ${clock.offsetMs / 1000}) END
      FROM locked
     WHERE w.account_id = locked.account_id AND w.id = locked.id
       AND (locked.failing_since IS NULL) = locked.failing`)
}

/**
 * Locks what recording these results changes, as far as it is free, and returns those that another transaction holds something of. Waits for
 * none, so the order of locks doesn't matter. An endpoint whose health stays as it is may be used by others that record events for it.
 */
export async function lockResults(
  tx: Tx,
  results: AttemptResult[],
  failing: EndpointKey[],
): Promise<AttemptResult[]> {
  const deliveries = results.map(({ delivery }) => delivery)
  const held = await tx.many<{ account_id: number; id: number }>(sql`
    /* every account */
    WITH results AS MATERIALIZED (
      SELECT * FROM unnest(${accountsOf(deliveries)}::bigint[], ${deliveries.map(({ id }) => id)}::bigint[],
                           ${idsOf(deliveries)}::bigint[]) AS r (account_id, id, endpoint_id)
    ), touched AS MATERIALIZED (
      SELECT w.account_id, w.id, w.failing_since IS NOT NULL OR h.endpoint_id IS NOT NULL AS is_changed
        FROM (SELECT DISTINCT account_id, endpoint_id FROM results) r
        JOIN webhook_endpoints w ON w.account_id = r.account_id AND w.id = r.endpoint_id
        LEFT JOIN unnest(${accountsOf(failing)}::bigint[], ${idsOf(failing)}::bigint[]) AS h (account_id, endpoint_id)
          ON h.account_id = w.account_id AND h.endpoint_id = w.id
    ), endpoints AS MATERIALIZED (
      SELECT * FROM (
        SELECT w.account_id, w.id FROM touched t JOIN webhook_endpoints w ON w.account_id = t.account_id AND w.id = t.id
         WHERE t.is_changed FOR UPDATE OF w SKIP LOCKED) changed
      UNION ALL
      SELECT * FROM (
        SELECT w.account_id, w.id FROM touched t JOIN webhook_endpoints w ON w.account_id = t.account_id AND w.id = t.id
         WHERE NOT t.is_changed FOR KEY SHARE OF w SKIP LOCKED) unchanged
    ), free AS MATERIALIZED (
      SELECT d.account_id, d.id
        FROM results r
        JOIN endpoints e ON e.account_id = r.account_id AND e.id = r.endpoint_id
        JOIN deliveries d ON d.account_id = r.account_id AND d.id = r.id
         FOR UPDATE OF d SKIP LOCKED)
    SELECT d.account_id, d.id FROM results r JOIN deliveries d ON d.account_id = r.account_id AND d.id = r.id
     WHERE NOT EXISTS (SELECT 1 FROM free f WHERE f.account_id = d.account_id AND f.id = d.id)`)
  return results.filter(({ delivery }) =>
    held.some(({ account_id, id }) => account_id === delivery.account_id && id === delivery.id),
  )
}

/**
 * Disables endpoints and cancels their pending deliveries; with `failingForMs`, only those that have been failing for that long.
 * Returns those that were active.
 */
export async function disableEndpoints(
  tx: Tx,
  clock: Clock,
  endpoints: EndpointKey[],
  failingForMs?: number,
): Promise<EndpointKey[]> {
  const failing =
    failingForMs === undefined
      ? sql`true`
      : sql`w.failing_since <= now() + make_interval(secs => ${(clock.offsetMs - failingForMs) / 1000})`
  return cancelDeliveries(tx, endpoints, () =>
    tx.many(sql`
      /* every account */
      UPDATE webhook_endpoints w SET status = 'disabled'
        FROM unnest(${accountsOf(endpoints)}::bigint[], ${idsOf(endpoints)}::bigint[]) AS h (account_id, endpoint_id)
       WHERE w.account_id = h.account_id AND w.id = h.endpoint_id AND w.status = 'active' AND ${failing}
      RETURNING w.account_id, w.id AS endpoint_id`),
  )
}

/**
 * Gives back claimed deliveries that were not sent, so that they can be claimed at once, unless another worker has claimed them since. Rows
 * that are locked are skipped: they are being canceled or claimed, and to wait for several could deadlock with a deletion.
 */
export async function releaseDeliveries(db: Db, deliveries: ClaimedDelivery[]): Promise<void> {
  await db.many(sql`
    /* every account */
    WITH unlocked AS (
      SELECT d.account_id, d.id
        FROM unnest(${deliveries.map(({ account_id }) => account_id)}::bigint[], ${deliveries.map(({ id }) => id)}::bigint[],
                    ${deliveries.map(({ leased_until }) => leased_until)}::timestamptz[])
             AS claimed (account_id, id, leased_until)
        JOIN deliveries d ON d.account_id = claimed.account_id AND d.id = claimed.id
       WHERE d.leased_until = claimed.leased_until
         FOR UPDATE OF d SKIP LOCKED)
    UPDATE deliveries d SET leased_until = NULL
      FROM unlocked
     WHERE d.account_id = unlocked.account_id AND d.id = unlocked.id`)
}

export async function queueState(db: Db): Promise<{ depth: number; oldest_due_seconds: number }> {
  const row = await db.first<{ depth: number; oldest_due_seconds: number }>(sql`
    /* every account */
    SELECT count(*)::integer AS depth,
           coalesce(greatest(0, extract(epoch FROM now() - min(d.due_at) FILTER (
             WHERE d.leased_until IS NULL OR d.leased_until <= now()))), 0)::double precision AS oldest_due_seconds
      FROM deliveries d WHERE d.status = 'pending'`)
  return row ?? { depth: 0, oldest_due_seconds: 0 }
}
