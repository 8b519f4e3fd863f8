import { NOW } from '../db/current-time.ts'
import type { Db, Tx } from '../db/database.ts'
import { repeatBounded } from '../db/repeat-bounded.ts'
import { all, keyset, type Sql, sql, when } from '../db/sql.ts'
import { rowsAfter } from '../kit/page.ts'
import { isOfNamespace } from './namespace.store.ts'
import type { VerifiedEvent } from './provider.ts'
import type { Ignored } from './reading.ts'

export type EventStatus = 'received' | 'applied' | 'ignored' | 'waiting' | 'failed'

/** Why an event is in its state: a code and its parameters. */
export type EventReason = Ignored | { code: 'waits_for' | 'error'; params: Record<string, string> }

export interface NewEvent {
  accountId: number
  connectorId: number
  event: Omit<VerifiedEvent, 'body'>
  body: string
}

/** Stores events, of any accounts, once by the provider's ID each. Returns for each whether it is new. */
export async function insertEvents(db: Db, events: NewEvent[]): Promise<boolean[]> {
  const keyOf = (accountId: number, connectorId: number, id: string) => `${accountId} ${connectorId} ${id}`
  const rows = await db.many<{ account_id: number; connector_id: number; provider_id: string }>(sql`
    /* every account */
    INSERT INTO connector_events AS e (account_id, connector_id, provider_id, type, occurred_at, body)
    SELECT * FROM unnest(
      ${events.map(({ accountId }) => accountId)}::bigint[], ${events.map(({ connectorId }) => connectorId)}::bigint[],
      ${events.map(({ event }) => event.id)}::text[], ${events.map(({ event }) => event.type)}::text[],
      ${events.map(({ event }) => event.occurredAt)}::timestamptz[], ${events.map(({ body }) => body)}::text[])
      AS n (account_id, connector_id, provider_id, type, occurred_at, body)
     -- In one order: two processes that store the same events at once would wait for each other.
     ORDER BY n.connector_id, n.provider_id
    ON CONFLICT ON CONSTRAINT connector_events_once DO NOTHING RETURNING e.account_id, e.connector_id, e.provider_id`)
  const added = new Set(rows.map(row => keyOf(row.account_id, row.connector_id, row.provider_id)))
  // Of one that is in the batch twice, the first is new.
  return events.map(({ accountId, connectorId, event }) =>
    added.delete(keyOf(accountId, connectorId, event.id)),
  )
}

export interface DueEvent {
  id: number
  provider_id: string
  type: string
  occurred_at: string
  body: string
  attempts: number
  /** Seconds since it arrived. */
  age_seconds: number
}

/** The due event that happened first. */
export function nextDueEvent(tx: Tx, accountId: number, connectorId: number): Promise<DueEvent | undefined> {
  return tx.first(sql`
    SELECT e.id, e.provider_id, e.type, e.occurred_at, e.body, e.attempts,
           extract(epoch FROM now() - e.received_at)::double precision AS age_seconds
      FROM connector_events e
     WHERE e.account_id = ${accountId} AND e.connector_id = ${connectorId} AND e.due_at <= ${NOW}
     ORDER BY e.occurred_at, e.id LIMIT 1 FOR NO KEY UPDATE`)
}

/** The outcome of an event. */
export interface EventState {
  status: EventStatus
  reason: EventReason | null
  /** Seconds until it is processed again; null for never. */
  dueInSeconds: number | null
  waitsFor: string | null
  referralId: number | null
  saleExternalId: string | null
  refundExternalId: string | null
}

const LONGEST_TEXT = 500

/** A provider's text without what PostgreSQL refuses: NUL, half a surrogate pair, and what is too long for an index. */
const storable = (text: string) => text.replaceAll('\0', '').slice(0, LONGEST_TEXT).toWellFormed()

function storableReason(reason: EventReason): EventReason {
  if (!reason.params) return reason
  const params = Object.entries(reason.params).map(([name, text]) => [name, storable(String(text))])
  return { ...reason, params: Object.fromEntries(params) }
}

/**
 * Records what an attempt led to, unless another process has tried the event since it was read. An attempt that fails makes nothing and
 * undoes nothing: what an earlier one made stays linked.
 */
export async function recordState(
  tx: Tx,
  accountId: number,
  { id, attempts }: Pick<DueEvent, 'id' | 'attempts'>,
  state: EventState,
): Promise<void> {
  const reason = state.reason && storableReason(state.reason)
  const waitsFor = state.waitsFor === null ? null : storable(state.waitsFor)
  const hasFailed = state.status === 'failed'
  await tx.many(sql`
    UPDATE connector_events e
       SET status = ${state.status}, reason = ${reason}, attempts = e.attempts + 1, waits_for = ${waitsFor},
           due_at = now() + ${state.dueInSeconds}::double precision * interval '1 second',
           referral_id = CASE WHEN ${hasFailed} THEN e.referral_id ELSE ${state.referralId} END,
           sale_external_id = CASE WHEN ${hasFailed} THEN e.sale_external_id ELSE ${state.saleExternalId} END,
           refund_external_id = CASE WHEN ${hasFailed} THEN e.refund_external_id ELSE ${state.refundExternalId} END
     WHERE e.account_id = ${accountId} AND e.id = ${id} AND e.attempts = ${attempts}`)
}

/** Makes the events of the namespace due that waited for one of these. */
export async function wakeWaiting(
  tx: Tx,
  accountId: number,
  connectorId: number,
  refs: string[],
): Promise<void> {
  await tx.many(sql`
    UPDATE connector_events e SET due_at = now()
     WHERE e.account_id = ${accountId} AND ${isOfNamespace(sql`e.connector_id`, accountId, connectorId)}
       AND e.waits_for = ANY (${refs.map(storable)}::text[])`)
}

/** Shows the credit on the events of a sale that was credited later. */
export async function creditEvents(
  tx: Tx,
  accountId: number,
  connectorId: number,
  saleExternalId: string,
  referralId: number,
): Promise<void> {
  await tx.many(sql`
    UPDATE connector_events e SET status = 'applied', reason = NULL, due_at = NULL, referral_id = ${referralId}
     WHERE e.account_id = ${accountId} AND ${isOfNamespace(sql`e.connector_id`, accountId, connectorId)} AND e.sale_external_id = ${saleExternalId}
       AND (e.status IN ('ignored', 'applied') OR (e.status = 'failed' AND e.body = ''))`)
  // One that failed may report more than the sale, a refund for example: unless its body was emptied, it is processed again, now.
  await tx.many(sql`
    UPDATE connector_events e SET due_at = now()
     WHERE e.account_id = ${accountId} AND ${isOfNamespace(sql`e.connector_id`, accountId, connectorId)}
       AND e.sale_external_id = ${saleExternalId} AND e.status = 'failed'`)
}

/** Shows on the event of a sale why it could not be credited. It is processed again, as is any event that failed. */
export async function failEventOfSale(
  tx: Tx,
  accountId: number,
  connectorId: number,
  saleExternalId: string,
  { message, dueInSeconds }: { message: string; dueInSeconds: number | null },
): Promise<void> {
  const reason: EventReason = { code: 'error', params: { message: storable(message) } }
  await tx.many(sql`
    UPDATE connector_events e
       SET status = 'failed', reason = ${reason}, due_at = now() + ${dueInSeconds}::double precision * interval '1 second'
     WHERE e.account_id = ${accountId} AND ${isOfNamespace(sql`e.connector_id`, accountId, connectorId)}
       AND e.sale_external_id = ${saleExternalId} AND e.refund_external_id IS NULL AND e.status IN ('ignored', 'applied')`)
}

/** Makes events due again: one by its provider ID, or all that failed. Returns how many. */
export async function makeDue(
  db: Db,
  accountId: number,
  connectorId: number,
  which: { providerId?: string | undefined; failed?: boolean | undefined },
): Promise<number> {
  const rows = await db.many(sql`
    UPDATE connector_events e SET due_at = now(), status = 'received', waits_for = NULL
     WHERE e.account_id = ${accountId} AND e.connector_id = ${connectorId} AND e.body <> '' AND ${all(
       when(which.providerId, id => sql`e.provider_id = ${id}`),
       which.failed ? sql`e.status = 'failed'` : undefined,
     )} RETURNING e.id`)
  return rows.length
}

/** The most that one statement empties: bodies are large. */
const MOST_EMPTIED = 1000

/**
 * Empties the bodies of old events that need none any more. The rows stay, so a repeated delivery is still recognised. What waits or failed
 * keeps its body: it is processed again.
 */
export const emptyOldEvents = (db: Db, retentionDays: number, signal?: AbortSignal): Promise<void> =>
  repeatBounded(
    MOST_EMPTIED,
    () =>
      db.many(sql`
    /* every account */
    -- Checked again on the row itself: an event that is being replayed needs its body.
    UPDATE connector_events e SET body = ''
     WHERE e.status IN ('applied', 'ignored') AND e.due_at IS NULL AND e.ctid = ANY (ARRAY(
       SELECT o.ctid FROM connector_events o
        WHERE o.status IN ('applied', 'ignored') AND o.body <> '' AND o.due_at IS NULL
          AND o.received_at < now() - make_interval(days => ${retentionDays})
        ORDER BY o.received_at LIMIT ${MOST_EMPTIED} FOR NO KEY UPDATE SKIP LOCKED)) RETURNING 1`),
    signal,
  )

export interface EventRow {
  id: number
  connector_id: number
  provider_id: string
  type: string
  occurred_at: string
  received_at: string
  status: EventStatus
  reason: EventReason | null
  attempts: number
  due_at: string | null
  referral_id: number | null
  sale_external_id: string | null
  refund_external_id: string | null
  commission_ids: number[]
}

/**
 * The event with this ID, and those of the sale with it, here or at the provider. Named by their IDs, so that PostgreSQL looks them up instead of
 * reading all in their order.
 */
const identified = (accountId: number, connectorId: number, text: string): Sql => sql`e.id = ANY (ARRAY(
  SELECT o.id FROM connector_events o WHERE o.account_id = ${accountId} AND o.connector_id = ${connectorId} AND o.provider_id = ${text}
  UNION ALL
  SELECT o.id FROM connectors c
    JOIN connector_events o ON o.account_id = c.account_id AND o.connector_id = c.id
     AND o.sale_external_id = ANY (ARRAY[${text}, c.provider || ':' || ${text}, c.provider || '-' || c.name || ':' || ${text}])
   WHERE c.account_id = ${accountId} AND c.id = ${connectorId}))`

/** Events with what they made, by default the newest first; one more than the page, which tells whether there are more. */
export function listEvents(
  db: Db,
  accountId: number,
  connectorId: number,
  query: {
    status?: EventStatus | undefined
    q?: string
    after?: number
    limit?: number
    order?: 'newest' | 'oldest'
  },
): Promise<EventRow[]> {
  // What a search found is sorted: read in the order of an index, all events would be.
  const { from, order } = keyset(query.q === undefined ? sql`e.id` : sql`(e.id + 0)`, query)
  return db.many(sql`
    SELECT e.id, e.connector_id, e.provider_id, e.type, e.occurred_at, e.received_at, e.status, e.reason, e.attempts, e.due_at,
           e.referral_id, e.sale_external_id, e.refund_external_id,
           -- A referral has few commissions; by sale they have no index.
           ARRAY(SELECT m.id FROM sales s
                   JOIN commissions m ON m.account_id = ${accountId} AND m.referral_id = s.referral_id AND m.sale_id IS NOT DISTINCT FROM s.id
                  WHERE s.account_id = ${accountId} AND s.external_id = e.sale_external_id ORDER BY m.id) AS commission_ids
      FROM connector_events e
     WHERE e.account_id = ${accountId} AND e.connector_id = ${connectorId} AND ${all(
       when(query.status, status => sql`e.status = ${status}`),
       when(query.q, text => identified(accountId, connectorId, text.trim())),
       from,
     )}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}

/** Whether any connector of the account has received an event. */
export async function hasBillingEvents(db: Db, accountId: number): Promise<boolean> {
  const row = await db.first(sql`SELECT 1 FROM connector_events e WHERE e.account_id = ${accountId} LIMIT 1`)
  return row !== undefined
}

export interface KnownState {
  status: EventStatus
  reason: EventReason | null
}

export function findEventState(
  db: Db,
  { accountId, connectorId }: { accountId: number; connectorId: number },
  providerId: string,
): Promise<KnownState | undefined> {
  return db.first(sql`
    SELECT e.status, e.reason FROM connector_events e
     WHERE e.account_id = ${accountId} AND e.connector_id = ${connectorId} AND e.provider_id = ${providerId}`)
}

/** The state of the namespace's newest event about a sale. */
export function findStateOfSale(
  db: Db,
  { accountId, connectorId }: { accountId: number; connectorId: number },
  saleExternalId: string,
): Promise<KnownState | undefined> {
  return db.first(sql`
    SELECT e.status, e.reason FROM connector_events e
     WHERE e.account_id = ${accountId} AND ${isOfNamespace(sql`e.connector_id`, accountId, connectorId)} AND e.sale_external_id = ${saleExternalId}
     ORDER BY e.id DESC LIMIT 1`)
}
