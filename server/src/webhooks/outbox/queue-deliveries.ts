import type { EventKind } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { lockActiveEndpoint } from './endpoint-locks.ts'
import { DELIVERIES_CHANNEL } from './record-event.ts'

/** Where a replay starts: at a time, or after an event. */
export type Since = { time: string } | { eventId: number }

const after = (since: Since): Sql =>
  'time' in since ? sql`e.created_at >= ${since.time}` : sql`e.id > ${since.eventId}`

/**
 * Queues all events since then that the endpoint subscribes to, oldest first, as new deliveries. Events with a pending delivery are
 * skipped. Returns the number queued; undefined if the endpoint is not active.
 */
export function queueEventsSince(
  db: Db,
  accountId: number,
  endpointId: number,
  since: Since,
): Promise<number | undefined> {
  return db.transaction(async tx => {
    if (!(await lockActiveEndpoint(tx, accountId, endpointId))) return undefined
    const row = await tx.first<{ count: number }>(sql`
      WITH queued AS (
        INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at)
        SELECT ${accountId}, e.id, w.id, now()
          FROM webhook_endpoints w
          JOIN events e ON e.account_id = ${accountId} AND e.kind = ANY (w.events) AND NOT e.is_test AND ${after(since)}
         WHERE w.account_id = ${accountId} AND w.id = ${endpointId}
           AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = ${accountId} AND d.event_id = e.id
                              AND d.endpoint_id = w.id AND d.status = 'pending')
         ORDER BY e.id
        RETURNING id
      )
      SELECT count(*)::integer AS count, pg_notify(${DELIVERIES_CHANNEL}, '') FROM queued`)
    return row?.count ?? 0
  })
}

/** Queues a delivery's event for its endpoint again. Returns the new delivery's id; undefined if the endpoint is not active. */
export function requeueDelivery(
  db: Db,
  accountId: number,
  delivery: { id: number; endpoint_id: number },
): Promise<number | undefined> {
  return db.transaction(async tx => {
    if (!(await lockActiveEndpoint(tx, accountId, delivery.endpoint_id))) return undefined
    const row = await tx.first<{ id: number }>(sql`
      WITH queued AS (
        INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at)
        SELECT d.account_id, d.event_id, d.endpoint_id, now() FROM deliveries d
         WHERE d.account_id = ${accountId} AND d.id = ${delivery.id}
        RETURNING id
      )
      SELECT id, pg_notify(${DELIVERIES_CHANNEL}, '') FROM queued`)
    return row?.id
  })
}

/**
 * Records a sample event, marked as a test, for one endpoint only, whatever it subscribes to. Returns the delivery's id; undefined if
 * the endpoint is not active.
 */
export function queueTestEvent(
  db: Db,
  accountId: number,
  endpointId: number,
  event: { kind: EventKind; data: { id: number } },
): Promise<number | undefined> {
  return db.transaction(async tx => {
    if (!(await lockActiveEndpoint(tx, accountId, endpointId))) return undefined
    const row = await tx.first<{ id: number }>(sql`
      WITH moment AS (
        SELECT nextval('events_id_seq') AS id, date_trunc('milliseconds', clock_timestamp()) AS at
      ), event AS (
        INSERT INTO events (account_id, id, kind, subject_id, body, is_test, created_at)
        SELECT ${accountId}, m.id, ${event.kind}::text, ${event.data.id}::bigint, event_body(m.id, ${event.kind}, m.at, ${JSON.stringify(event.data)}), true, m.at
          FROM moment m
        RETURNING id
      ), queued AS (
        INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at)
        SELECT ${accountId}, event.id, ${endpointId}, now() FROM event
        RETURNING id
      )
      SELECT id, pg_notify(${DELIVERIES_CHANNEL}, '') FROM queued`)
    return row?.id
  })
}
