import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Clock } from '../../kit/clock.ts'
import type { AttemptResult, ClaimedDelivery } from './delivery.ts'

/** Longer than an attempt may take together with recording it; a worker that died gives its deliveries back after this. */
export const LEASE_MS = 15_000
/** How long a delivery that nobody has claimed yet counts as new. */
const NEW_FOR_SECONDS = 10

export interface ClaimLimits {
  /** How many slots are free. An account gets no more of them than it leaves to others. */
  free: number
  /** How many of them may go to endpoints that keep failing, whoever they belong to. */
  freeForFailing: number
  /** How many at once an endpoint gets that this worker knows nothing of. */
  perNewEndpoint: number
  /** An endpoint that keeps failing is tried one by one, so that it can hold up no more than that. */
  perFailingEndpoint: number
  /** For the endpoints that this worker knows: how many at once they get, and how many they have. */
  known: ReadonlyMap<number, { most: number; underWay: number }>
  /** How many attempts each account has under way. */
  accounts: ReadonlyMap<number, number>
}

/**
 * Claims due deliveries, fairly by account, then by endpoint. Endpoints with pending deliveries are found by skipping through the queue's
 * index, one probe for each. Every slot that one of them could use gets its place in its account's line, behind what the account has
 * under way; slots are handed out in the order of places, so whoever has least comes first, and an account stops where it would hold more than
 * is left free. One account alone stops at half of all slots, two at a third each: however many hang, the next one finds some free.
 * Nothing is locked before the slots are known, so other workers meet no rows that this one does not take.
 *
 * Of what an endpoint gets, up to a quarter is new: after an outage, what happens now does not wait for all that has queued up. A lease
 * that has run out is not new, or an overloaded worker would send again what it has just sent. Rows that another worker is claiming
 * at this moment are passed over; one that is both among the oldest and among the newest is claimed once.
 */
export function claimDeliveries(db: Db, clock: Clock, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  const known = [...limits.known.values()]
  const seconds = clock.offsetMs / 1000
  const isDue = sql`d.due_at <= now() + make_interval(secs => ${seconds})`
  return db.many(sql`
    /* every account */
    WITH RECURSIVE queued AS (
      (SELECT d.account_id, d.endpoint_id FROM deliveries d WHERE d.status = 'pending'
        ORDER BY d.account_id, d.endpoint_id LIMIT 1)
      UNION ALL
      SELECT following.account_id, following.endpoint_id FROM queued, LATERAL (
        SELECT d.account_id, d.endpoint_id FROM deliveries d
         WHERE d.status = 'pending' AND (d.account_id, d.endpoint_id) > (queued.account_id, queued.endpoint_id)
         ORDER BY d.account_id, d.endpoint_id LIMIT 1) following
    ), busy AS (
      SELECT * FROM unnest(${[...limits.known.keys()]}::bigint[], ${known.map(({ most }) => most)}::integer[],
                           ${known.map(({ underWay }) => underWay)}::integer[]) AS b (endpoint_id, most, under_way)
    ), loaded AS (
      SELECT * FROM unnest(${[...limits.accounts.keys()]}::bigint[], ${[...limits.accounts.values()]}::integer[])
                    AS l (account_id, under_way)
    ), wanted AS (
      SELECT queued.account_id, queued.endpoint_id, w.failing_since IS NOT NULL AS is_failing, slot,
             coalesce(loaded.under_way, 0) + row_number() OVER (PARTITION BY queued.account_id ORDER BY slot, random()) AS place
        FROM queued
        JOIN webhook_endpoints w ON w.account_id = queued.account_id AND w.id = queued.endpoint_id
        LEFT JOIN busy ON busy.endpoint_id = queued.endpoint_id
        LEFT JOIN loaded ON loaded.account_id = queued.account_id
        CROSS JOIN LATERAL (
          SELECT greatest(0, CASE WHEN w.failing_since IS NULL THEN coalesce(busy.most, ${limits.perNewEndpoint}::integer)
                                  ELSE ${limits.perFailingEndpoint}::integer END - coalesce(busy.under_way, 0)) AS slots
        ) room
        CROSS JOIN LATERAL (
          SELECT row_number() OVER () AS slot FROM (
            SELECT 1 FROM deliveries d
             WHERE d.account_id = queued.account_id AND d.endpoint_id = queued.endpoint_id AND d.status = 'pending' AND ${isDue}
               AND (d.leased_until IS NULL OR d.leased_until <= now() + make_interval(secs => ${seconds}))
             LIMIT room.slots) due) waiting
       WHERE w.status = 'active' AND w.deleted_at IS NULL
    ), admitted AS (
      SELECT *, row_number() OVER (ORDER BY place, random()) AS position FROM (
        SELECT *, row_number() OVER (PARTITION BY is_failing ORDER BY place, random()) AS place_of_kind FROM wanted) each
       WHERE NOT is_failing OR place_of_kind <= ${limits.freeForFailing}::integer
    ), allotted AS (
      SELECT account_id, endpoint_id, is_failing, count(*) AS slots FROM admitted
       WHERE place + position <= ${limits.free}::integer GROUP BY account_id, endpoint_id, is_failing
    ), claimable AS (
      SELECT due.account_id, due.id, w.url, w.sealed_secret, allotted.is_failing
        FROM allotted
        JOIN webhook_endpoints w ON w.account_id = allotted.account_id AND w.id = allotted.endpoint_id
        -- By chance where a quarter is no whole number: room for one at a time is shared as well.
        CROSS JOIN LATERAL (SELECT floor(allotted.slots / 4.0 + random())::integer AS slots) newest
        CROSS JOIN LATERAL (
          SELECT * FROM (
            SELECT d.account_id, d.id FROM deliveries d
             WHERE d.account_id = allotted.account_id AND d.endpoint_id = allotted.endpoint_id AND d.status = 'pending' AND ${isDue}
               AND (d.leased_until IS NULL OR d.leased_until <= now() + make_interval(secs => ${seconds}))
             ORDER BY d.due_at, d.id LIMIT allotted.slots - newest.slots
             FOR UPDATE SKIP LOCKED) oldest_due
          UNION ALL
          SELECT * FROM (
            SELECT d.account_id, d.id FROM deliveries d
             WHERE d.account_id = allotted.account_id AND d.endpoint_id = allotted.endpoint_id AND d.status = 'pending' AND ${isDue}
               AND d.due_at > now() + make_interval(secs => ${seconds - NEW_FOR_SECONDS})
               AND d.attempts = 0 AND d.leased_until IS NULL
             ORDER BY d.due_at DESC, d.id DESC LIMIT newest.slots
             FOR UPDATE SKIP LOCKED) newest_due) due
    )
    UPDATE deliveries d
       SET leased_until = now() + make_interval(secs => ${(clock.offsetMs + LEASE_MS) / 1000})
      FROM claimable c, events e
     WHERE d.account_id = c.account_id AND d.id = c.id AND e.account_id = d.account_id AND e.id = d.event_id
    RETURNING d.account_id, d.id, d.endpoint_id, d.event_id, e.kind AS event_kind, e.is_test, e.body, d.attempts,
              c.url, c.sealed_secret, c.is_failing`)
}

/**
 * Writes what came of a batch of attempts. A delivery that was cancelled while its attempt was under way keeps the attempt
 * in its log, and stays cancelled.
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
  tx.send(sql`
    /* every account */
    UPDATE deliveries d
       SET status = r.status, attempts = d.attempts + 1, leased_until = NULL,
           due_at = now() + make_interval(secs => (${clock.offsetMs}::double precision + r.delay_ms) / 1000)
      FROM unnest(${accounts}::bigint[], ${ids}::bigint[], ${results.map(({ next }) => next.status)}::text[],
                  ${results.map(({ next }) => ('delayMs' in next ? next.delayMs : 0))}::double precision[])
           AS r (account_id, id, status, delay_ms)
     WHERE d.account_id = r.account_id AND d.id = r.id AND d.status = 'pending'`)
}

export interface EndpointHealth {
  account_id: number
  endpoint_id: number
}

/** Remembers since when an endpoint has only failed; a success wipes it out. Ordered, so that two workers cannot deadlock. */
export function recordHealth(
  tx: Tx,
  clock: Clock,
  health: { healthy: EndpointHealth[]; failing: EndpointHealth[] },
): void {
  const touched = [...health.healthy, ...health.failing]
  const isFailing = [...health.healthy.map(() => false), ...health.failing.map(() => true)]
  tx.send(sql`
    /* every account */
    WITH changed AS (
      SELECT w.account_id, w.id, h.failing
        FROM unnest(${touched.map(({ account_id }) => account_id)}::bigint[],
                    ${touched.map(({ endpoint_id }) => endpoint_id)}::bigint[], ${isFailing}::boolean[])
             AS h (account_id, endpoint_id, failing)
        JOIN webhook_endpoints w ON w.account_id = h.account_id AND w.id = h.endpoint_id
       WHERE (w.failing_since IS NULL) = h.failing
       ORDER BY w.account_id, w.id FOR NO KEY UPDATE OF w)
    UPDATE webhook_endpoints w
       SET failing_since = CASE WHEN changed.failing
                                THEN now() + make_interval(secs => ${clock.offsetMs / 1000}) END
      FROM changed WHERE w.account_id = changed.account_id AND w.id = changed.id`)
}

/**
 * Switches endpoints off and ends what was still to be delivered to them; with `failingForMs`, only those that have failed for
 * so long. Returns those that were still on.
 */
export async function disableEndpoints(
  tx: Tx,
  clock: Clock,
  endpoints: EndpointHealth[],
  failingForMs?: number,
): Promise<EndpointHealth[]> {
  const failing =
    failingForMs === undefined
      ? sql`true`
      : sql`w.failing_since <= now() + make_interval(secs => ${(clock.offsetMs - failingForMs) / 1000})`
  const accounts = endpoints.map(({ account_id }) => account_id)
  const ids = endpoints.map(({ endpoint_id }) => endpoint_id)
  // Waits for whoever is promising them a delivery, so that the next statement sees that promise and ends it too.
  await tx.many(sql`
    /* every account */
    SELECT 1 FROM webhook_endpoints w
      JOIN unnest(${accounts}::bigint[], ${ids}::bigint[]) AS h (account_id, endpoint_id)
        ON w.account_id = h.account_id AND w.id = h.endpoint_id
     ORDER BY w.account_id, w.id FOR UPDATE OF w`)
  return tx.many(sql`
    /* every account */
    WITH disabled AS (
      UPDATE webhook_endpoints w SET status = 'disabled'
        FROM unnest(${accounts}::bigint[], ${ids}::bigint[]) AS h (account_id, endpoint_id)
       WHERE w.account_id = h.account_id AND w.id = h.endpoint_id AND w.status = 'active'
         AND ${failing}
      RETURNING w.account_id, w.id
    ), canceled AS (
      UPDATE deliveries d SET status = 'canceled' FROM disabled
       WHERE d.account_id = disabled.account_id AND d.endpoint_id = disabled.id AND d.status = 'pending'
    )
    SELECT account_id, id AS endpoint_id FROM disabled`)
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
