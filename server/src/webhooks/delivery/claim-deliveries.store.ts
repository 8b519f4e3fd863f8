import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Clock } from '../../kit/clock.ts'
import type { ClaimedDelivery } from './delivery.ts'

/** Longer than an attempt may take together with recording it; a worker that died gives its deliveries back after this. */
export const LEASE_MS = 15_000
/** How long a delivery that nobody has claimed yet counts as new. */
const NEW_FOR_SECONDS = 10

export interface ClaimLimits {
  /** How many slots are free. An account gets no more of them than it leaves to others. */
  free: number
  /** How many of them may go to endpoints that keep failing, of all accounts together. */
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

/** Endpoints with pending deliveries, found by skipping through the queue's index, one probe for each. */
const queued = sql`
    /* every account */
    queued AS (
      (SELECT d.account_id, d.endpoint_id FROM deliveries d WHERE d.status = 'pending'
        ORDER BY d.account_id, d.endpoint_id LIMIT 1)
      UNION ALL
      SELECT following.account_id, following.endpoint_id FROM queued, LATERAL (
        SELECT d.account_id, d.endpoint_id FROM deliveries d
         WHERE d.status = 'pending' AND (d.account_id, d.endpoint_id) > (queued.account_id, queued.endpoint_id)
         ORDER BY d.account_id, d.endpoint_id LIMIT 1) following
    )`

/** What this worker has under way, by endpoint and by account. */
function underWay({ known, accounts }: ClaimLimits): Sql {
  const endpoints = [...known.values()]
  return sql`
    busy AS (
      SELECT * FROM unnest(${[...known.keys()]}::bigint[], ${endpoints.map(({ most }) => most)}::integer[],
                           ${endpoints.map(({ underWay }) => underWay)}::integer[]) AS b (endpoint_id, most, under_way)
    ), loaded AS (
      SELECT * FROM unnest(${[...accounts.keys()]}::bigint[], ${[...accounts.values()]}::integer[])
                    AS l (account_id, under_way)
    )`
}

/** The moment by the clock of the worker, so many seconds later. */
const momentIn = (clock: Clock, seconds = 0) =>
  sql`now() + make_interval(secs => ${clock.offsetMs / 1000 + seconds})`

/** A delivery whose time has come. */
const isDue = (clock: Clock) => sql`d.status = 'pending' AND d.due_at <= ${momentIn(clock)}`

/** And that nobody has in hand: never claimed, or by a worker whose lease ran out. */
const isFree = (clock: Clock) => sql`(d.leased_until IS NULL OR d.leased_until <= ${momentIn(clock)})`

/** Every slot that an endpoint could use, with its place in its account's line, behind what the account has under way. */
const wanted = (clock: Clock, { perNewEndpoint, perFailingEndpoint }: ClaimLimits) => sql`
    /* every account */
    wanted AS (
      SELECT queued.account_id, queued.endpoint_id, w.failing_since IS NOT NULL AS is_failing, slot,
             coalesce(loaded.under_way, 0) + row_number() OVER (PARTITION BY queued.account_id ORDER BY slot, random()) AS place
        FROM queued
        JOIN webhook_endpoints w ON w.account_id = queued.account_id AND w.id = queued.endpoint_id
        LEFT JOIN busy ON busy.endpoint_id = queued.endpoint_id
        LEFT JOIN loaded ON loaded.account_id = queued.account_id
        CROSS JOIN LATERAL (
          SELECT greatest(0, CASE WHEN w.failing_since IS NULL THEN coalesce(busy.most, ${perNewEndpoint}::integer)
                                  ELSE ${perFailingEndpoint}::integer END - coalesce(busy.under_way, 0)) AS slots
        ) room
        CROSS JOIN LATERAL (
          SELECT row_number() OVER () AS slot FROM (
            SELECT 1 FROM deliveries d
             WHERE d.account_id = queued.account_id AND d.endpoint_id = queued.endpoint_id
               AND ${isDue(clock)} AND ${isFree(clock)}
             LIMIT room.slots) due) waiting
       WHERE w.status = 'active' AND w.deleted_at IS NULL
    )`

/**
 * Slots are handed out in the order of places, so the account that has least comes first, and an account stops where it would hold more
 * than is left free. One account alone stops at half of all slots, two at a third each: however many hang, the next one finds some free.
 */
const allotted = ({ free, freeForFailing }: ClaimLimits) => sql`
    admitted AS (
      SELECT *, row_number() OVER (ORDER BY place, random()) AS position FROM (
        SELECT *, row_number() OVER (PARTITION BY is_failing ORDER BY place, random()) AS place_of_kind FROM wanted) each
       WHERE NOT is_failing OR place_of_kind <= ${freeForFailing}::integer
    ), allotted AS (
      SELECT account_id, endpoint_id, is_failing, count(*) AS slots FROM admitted
       WHERE place + position <= ${free}::integer GROUP BY account_id, endpoint_id, is_failing
    )`

/**
 * Of what an endpoint gets, up to a quarter is new: after an outage, what happens now does not wait for all that has queued up. A lease
 * that has run out is not new, or an overloaded worker would send again what it has just sent. Rows that another worker is claiming
 * at this moment are passed over; one that is both among the oldest and among the newest is claimed once.
 */
const claimable = (clock: Clock) => sql`
    /* every account */
    claimable AS (
      SELECT due.account_id, due.id, w.url, w.sealed_secret, allotted.is_failing
        FROM allotted
        JOIN webhook_endpoints w ON w.account_id = allotted.account_id AND w.id = allotted.endpoint_id
        -- By chance where a quarter is no whole number: room for one at a time is shared as well.
        CROSS JOIN LATERAL (SELECT floor(allotted.slots / 4.0 + random())::integer AS slots) newest
        CROSS JOIN LATERAL (
          SELECT * FROM (
            SELECT d.account_id, d.id FROM deliveries d
             WHERE d.account_id = allotted.account_id AND d.endpoint_id = allotted.endpoint_id
               AND ${isDue(clock)} AND ${isFree(clock)}
             ORDER BY d.due_at, d.id LIMIT allotted.slots - newest.slots
             FOR UPDATE SKIP LOCKED) oldest_due
          UNION ALL
          SELECT * FROM (
            SELECT d.account_id, d.id FROM deliveries d
             WHERE d.account_id = allotted.account_id AND d.endpoint_id = allotted.endpoint_id
               AND ${isDue(clock)} AND d.due_at > ${momentIn(clock, -NEW_FOR_SECONDS)}
               AND d.attempts = 0 AND d.leased_until IS NULL
             ORDER BY d.due_at DESC, d.id DESC LIMIT newest.slots
             FOR UPDATE SKIP LOCKED) newest_due) due
    )`

/**
 * Claims due deliveries, fairly by account, then by endpoint: who waits, what each could use, what each gets, and which rows that is.
 * Nothing is locked before the slots are known, so other workers meet no rows that this one does not take.
 */
export function claimDeliveries(db: Db, clock: Clock, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  return db.many(sql`
    /* every account */
    WITH RECURSIVE ${queued}, ${underWay(limits)}, ${wanted(clock, limits)}, ${allotted(limits)}, ${claimable(clock)}
    UPDATE deliveries d SET leased_until = ${momentIn(clock, LEASE_MS / 1000)}
      FROM claimable c, events e
     WHERE d.account_id = c.account_id AND d.id = c.id AND e.account_id = d.account_id AND e.id = d.event_id
    RETURNING d.account_id, d.id, d.endpoint_id, d.event_id, e.kind AS event_kind, e.is_test, e.body, d.attempts,
              c.url, c.sealed_secret, c.is_failing`)
}
