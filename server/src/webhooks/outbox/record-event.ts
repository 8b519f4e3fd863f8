import type { EventKind } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** The channel that wakes the delivery workers after a commit. */
export const DELIVERIES_CHANNEL = 'tributary_deliveries'

interface RecordedEvent {
  accountId: number
  kind: EventKind
  subjectId: number
  text: string
}

/** Records an event in the transaction of its cause. `data` is the object as its presenter renders it. */
export const recordEvent = (tx: Tx, accountId: number, kind: EventKind, data: { id: number }): void =>
  recordEvents(tx, accountId, kind, [data])

/** Records events, with a delivery for every active endpoint that subscribes to them. Written when the transaction ends, all at once. */
export function recordEvents(tx: Tx, accountId: number, kind: EventKind, data: { id: number }[]): void {
  const events = data.map(each => ({ accountId, kind, subjectId: each.id, text: JSON.stringify(each) }))
  tx.atEnd<RecordedEvent>(insertEvents, events)
}

function insertEvents(tx: Tx, events: RecordedEvent[]): void {
  for (const accountId of new Set(events.map(event => event.accountId)))
    insertEventsOf(
      tx,
      accountId,
      events.filter(event => event.accountId === accountId),
    )
}

/** In one statement: the payload contains the id of its row, and a second round trip for it would slow down every sale. */
function insertEventsOf(tx: Tx, accountId: number, events: RecordedEvent[]): void {
  const kinds = events.map(({ kind }) => kind)
  const subjectIds = events.map(({ subjectId }) => subjectId)
  const texts = events.map(({ text }) => text)
  tx.sendAndNotify(
    sql`
    WITH moment AS (
      SELECT nextval('events_id_seq') AS id, date_trunc('milliseconds', clock_timestamp()) AS at, kind, subject_id, data
        FROM unnest(${kinds}::text[], ${subjectIds}::bigint[], ${texts}::text[])
             WITH ORDINALITY AS given (kind, subject_id, data, position) ORDER BY position
    ), event AS (
      INSERT INTO events (account_id, id, kind, subject_id, body, created_at)
      SELECT ${accountId}, m.id, m.kind, m.subject_id, event_body(m.id, m.kind, m.at, m.data), m.at
        FROM moment m
      RETURNING id, kind
    )
    INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at)
    SELECT ${accountId}, event.id, w.id, now()
      FROM event, webhook_endpoints w
     WHERE w.account_id = ${accountId} AND w.status = 'active' AND w.deleted_at IS NULL AND event.kind = ANY (w.events)
       -- Deleting or disabling the endpoint waits for this transaction, and then cancels this delivery too.
       FOR KEY SHARE OF w`,
    DELIVERIES_CHANNEL,
  )
}
