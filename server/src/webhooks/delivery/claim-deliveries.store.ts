import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Clock } from '../../kit/clock.ts'
import type { ClaimedDelivery } from './delivery.ts'
import { DISABLE_AFTER_MS } from './retry-schedule.ts'

/** Longer than waiting to be sent, an attempt and recording it; after this, the deliveries of a crashed worker become available again. */
export const LEASE_MS = 15_000
/** How long an unclaimed delivery counts as new. */
const NEW_FOR_SECONDS = 10

export interface ClaimLimits {
  /** Free slots. An account gets no more of them than it leaves to others. */
  free: number
  /** How many of them may go to failing endpoints, across all accounts. */
  freeForFailing: number
  /** The concurrency of an endpoint that this worker has no record of. */
  perNewEndpoint: number
  /** The concurrency of a failing endpoint, low so that it ties up few slots. */
  perFailingEndpoint: number
  /** How many deliveries may be claimed for each endpoint that this worker has a record of, and how many are in flight. */
  known: ReadonlyMap<number, { limit: number; inFlight: number }>
  /** Deliveries in flight by account. */
  accounts: ReadonlyMap<number, number>
}

/**
 * Endpoints with pending deliveries, found by a skip scan of the queue's index, one probe for each. Here and below, rows are read in the
 * full order of that index: where many are pending, the planner would otherwise read an endpoint's delivered ones first, through its log.
 */
const queued = sql`
    /* every account */
    queued AS (
      (SELECT d.account_id, d.endpoint_id FROM deliveries d WHERE d.status = 'pending'
        ORDER BY d.account_id, d.endpoint_id, d.due_at, d.id LIMIT 1)
      UNION ALL
      SELECT following.account_id, following.endpoint_id FROM queued, LATERAL (
        SELECT d.account_id, d.endpoint_id FROM deliveries d
         WHERE d.status = 'pending' AND (d.account_id, d.endpoint_id) > (queued.account_id, queued.endpoint_id)
         ORDER BY d.account_id, d.endpoint_id, d.due_at, d.id LIMIT 1) following
    )`

/** This worker's deliveries in flight, by endpoint and by account. */
function inFlight({ known, accounts }: ClaimLimits): Sql {
  const endpoints = [...known.values()]
  return sql`
    busy AS (
      SELECT * FROM unnest(${[...known.keys()]}::bigint[], ${endpoints.map(({ limit }) => limit)}::integer[],
                           ${endpoints.map(({ inFlight }) => inFlight)}::integer[]) AS b (endpoint_id, concurrency, in_flight)
    ), loaded AS (
      SELECT * FROM unnest(${[...accounts.keys()]}::bigint[], ${[...accounts.values()]}::integer[])
                    AS l (account_id, in_flight)
    )`
}

/** The worker's current time plus some seconds. */
const timeIn = (clock: Clock, seconds = 0) =>
  sql`now() + make_interval(secs => ${clock.offsetMs / 1000 + seconds})`

const isDue = (clock: Clock) => sql`d.status = 'pending' AND d.due_at <= ${timeIn(clock)}`

/** Not claimed, or claimed by a worker whose lease has expired. */
const isFree = (clock: Clock) => sql`(d.leased_until IS NULL OR d.leased_until <= ${timeIn(clock)})`

/** Every slot that an endpoint could use, with its place in its account's queue, behind the deliveries the account has in flight. */
const wanted = (clock: Clock, { perNewEndpoint, perFailingEndpoint }: ClaimLimits) => sql`
    /* every account */
    wanted AS (
      SELECT queued.account_id, queued.endpoint_id, w.failing_since IS NOT NULL AS is_failing, slot,
             coalesce(loaded.in_flight, 0) + row_number() OVER (PARTITION BY queued.account_id ORDER BY slot, random()) AS place
        FROM queued
        JOIN webhook_endpoints w ON w.account_id = queued.account_id AND w.id = queued.endpoint_id
        LEFT JOIN busy ON busy.endpoint_id = queued.endpoint_id
        LEFT JOIN loaded ON loaded.account_id = queued.account_id
        CROSS JOIN LATERAL (
          SELECT greatest(0, CASE WHEN w.failing_since IS NULL THEN coalesce(busy.concurrency, ${perNewEndpoint}::integer)
                                  ELSE ${perFailingEndpoint}::integer END - coalesce(busy.in_flight, 0)) AS slots
        ) room
        CROSS JOIN LATERAL (
          SELECT row_number() OVER () AS slot FROM (
            SELECT 1 FROM deliveries d
             WHERE d.account_id = queued.account_id AND d.endpoint_id = queued.endpoint_id
               AND ${isDue(clock)} AND ${isFree(clock)}
             ORDER BY d.due_at, d.id LIMIT room.slots) due) waiting
       WHERE w.status = 'active' AND w.deleted_at IS NULL
    )`

/**
 * Slots are allotted in the order of places, so the account with the fewest comes first, and an account stops where it would hold more
 * than remain free. A single account stops at half of all slots, two at a third each: however many hang, the next one finds some free.
 */
const allotted = ({ free, freeForFailing }: ClaimLimits) => sql`
    admitted AS (
      SELECT *, row_number() OVER (ORDER BY place, random()) AS position FROM (
        SELECT *, row_number() OVER (PARTITION BY is_failing ORDER BY place, random()) AS place_of_kind FROM wanted) each
       WHERE NOT is_failing OR place_of_kind <= ${freeForFailing}::integer
    ), allotted AS (
      SELECT account_id, endpoint_id, count(*) AS slots FROM admitted
       WHERE place + position <= ${free}::integer GROUP BY account_id, endpoint_id
    )`

/**
 * Up to a quarter of an endpoint's slots go to new deliveries: after an outage, current events do not wait for the whole backlog. A
 * delivery with an expired lease is not new, or an overloaded worker would resend what it has just sent. Rows that another worker is
 * claiming concurrently are skipped; one that is both among the oldest and the newest is claimed once.
 */
const claimable = (clock: Clock) => sql`
    /* every account */
    claimable AS (
      SELECT due.ctid FROM allotted
        -- Rounded at random, so that an endpoint with a single slot gets new deliveries too.
        CROSS JOIN LATERAL (SELECT floor(allotted.slots / 4.0 + random())::integer AS slots) newest
        CROSS JOIN LATERAL (
          SELECT * FROM (
            SELECT d.ctid FROM deliveries d
             WHERE d.account_id = allotted.account_id AND d.endpoint_id = allotted.endpoint_id
               AND ${isDue(clock)} AND ${isFree(clock)}
             ORDER BY d.due_at, d.id LIMIT allotted.slots - newest.slots
             FOR UPDATE SKIP LOCKED) oldest_due
          UNION ALL
          SELECT * FROM (
            SELECT d.ctid FROM deliveries d
             WHERE d.account_id = allotted.account_id AND d.endpoint_id = allotted.endpoint_id
               AND ${isDue(clock)} AND d.due_at > ${timeIn(clock, -NEW_FOR_SECONDS)}
               AND d.attempts = 0 AND d.leased_until IS NULL
             ORDER BY d.due_at DESC, d.id DESC LIMIT newest.slots
             FOR UPDATE SKIP LOCKED) newest_due) due
    )`

/**
 * Claims due deliveries, fairly by account, then by endpoint: which endpoints are queued, the slots each could use, the slots each gets,
 * and their rows. Rows are locked only after the slots are allotted, so that no other worker skips a row this one does not take. Updated by
 * their place in the table, which no one changes while they are locked: the planner can't choose to read the whole table instead.
 */
export function claimDeliveries(db: Db, clock: Clock, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  return db.many(sql`
    /* every account */
    WITH RECURSIVE ${queued}, ${inFlight(limits)}, ${wanted(clock, limits)}, ${allotted(limits)}, ${claimable(clock)}
    UPDATE deliveries d SET leased_until = ${timeIn(clock, LEASE_MS / 1000)}
      FROM events e, webhook_endpoints w
     WHERE d.ctid = ANY (ARRAY(SELECT ctid FROM claimable)) AND e.account_id = d.account_id AND e.id = d.event_id
       AND w.account_id = d.account_id AND w.id = d.endpoint_id
    RETURNING d.account_id, d.id, d.endpoint_id, d.event_id, e.kind AS event_kind, e.is_test, e.body, d.attempts,
              d.leased_until::text, w.url, w.sealed_secret, w.failing_since IS NOT NULL AS is_failing,
              coalesce(w.failing_since <= ${timeIn(clock, -DISABLE_AFTER_MS / 1000)}, false) AS is_failing_for_long`)
}
