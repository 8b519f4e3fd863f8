import type { EventKind } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** The channel that wakes the delivery workers when the transaction commits. */
export const DELIVERIES_CHANNEL = 'tributary_deliveries'

/** Records an event in the transaction of its cause. `data` is the object as its presenter renders it. */
export const recordEvent = (tx: Tx, accountId: number, kind: EventKind, data: { id: number }): void =>
  recordEvents(tx, accountId, kind, [data])

/**
 * Records events, with a delivery for every active endpoint that subscribes to them. In one statement: the payload contains the id of
 * its own row, and a second round trip for it would slow down every sale.
 */
export function recordEvents(tx: Tx, accountId: number, kind: EventKind, data: { id: number }[]): void {
  const ids = data.map(({ id }) => id)
  const texts = data.map(each => JSON.stringify(each))
  tx.send(sql`
    WITH moment AS (
      SELECT nextval('events_id_seq') AS id, date_trunc('milliseconds', clock_timestamp()) AS at, subject_id, data
        FROM unnest(${ids}::bigint[], ${texts}::text[]) WITH ORDINALITY AS given (subject_id, data, position) ORDER BY position
    ), event AS (
      INSERT INTO events (account_id, id, kind, subject_id, body, created_at)
      SELECT ${accountId}, m.id, ${kind}::text, m.subject_id, event_body(m.id, ${kind}, m.at, m.data), m.at
        FROM moment m
      RETURNING id
    ), queued AS (
      INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at)
      SELECT ${accountId}, event.id, w.id, now()
        FROM event, webhook_endpoints w
       WHERE w.account_id = ${accountId} AND w.status = 'active' AND w.deleted_at IS NULL AND ${kind}::text = ANY (w.events)
         -- Deleting or disabling the endpoint waits for this transaction, and then cancels this delivery too.
         FOR KEY SHARE OF w
      RETURNING id
    )
    SELECT pg_notify(${DELIVERIES_CHANNEL}, '') FROM queued LIMIT 1`)
}
