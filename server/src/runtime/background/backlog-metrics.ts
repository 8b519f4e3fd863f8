import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { shared } from '../../kit/shared.ts'

interface Backlog {
  schema_version: number | null
  mails: number
  oldest_mail_seconds: number
  sales_awaiting_rate: number
  pending_items: number
  processing_items: number
  oldest_rail_call_seconds: number
  billing_events: number
  oldest_billing_event_seconds: number
}

/** Each part reads a partial index of pending rows, so the query stays cheap however large the tables get. */
const queryBacklog = (db: Db) =>
  db.first<Backlog>(sql`
    /* every account */
    SELECT (SELECT max(version) FROM schema_migrations) AS schema_version,
           m.count AS mails, m.oldest AS oldest_mail_seconds,
           (SELECT count(*)::integer FROM sales s WHERE s.awaits_rate) AS sales_awaiting_rate,
           i.pending AS pending_items, i.processing AS processing_items,
           (SELECT coalesce(greatest(0, extract(epoch FROM now() - min(due_at))), 0)::double precision
              FROM payout_submissions WHERE due_at IS NOT NULL) AS oldest_rail_call_seconds,
           b.count AS billing_events, b.oldest AS oldest_billing_event_seconds
      FROM (SELECT count(*)::integer AS count,
                   coalesce(greatest(0, extract(epoch FROM now() - min(due_at))), 0)::double precision AS oldest
              FROM mails WHERE status = 'pending') m,
           (SELECT count(*) FILTER (WHERE status = 'pending')::integer AS pending,
                   count(*) FILTER (WHERE status = 'processing')::integer AS processing
              FROM payout_items WHERE status IN ('pending', 'processing')) i,
           (SELECT count(*)::integer AS count,
                   coalesce(greatest(0, extract(epoch FROM now() - min(due_at))), 0)::double precision AS oldest
              FROM connector_events WHERE due_at IS NOT NULL) b`)

/** The backlog in the database. Every process reports the same values, so they are aggregated by maximum and never summed. */
export function createBacklogMetrics(registry: Registry, db: Db): void {
  // While the database is unavailable the backlog is NaN; the other metrics must still be served.
  const query = shared(() => queryBacklog(db).catch(() => undefined))
  const gauge = (name: string, help: string, part: keyof Backlog) =>
    new Gauge({
      name,
      help,
      aggregator: 'max',
      registers: [registry],
      async collect() {
        this.set((await query())?.[part] ?? Number.NaN)
      },
    })
  gauge('tributary_schema_version', 'Newest migration applied to the database', 'schema_version')
  gauge('tributary_mails_waiting', 'Emails that are neither sent nor abandoned', 'mails')
  gauge(
    'tributary_mails_oldest_due_seconds',
    'Time since the most overdue email was due',
    'oldest_mail_seconds',
  )
  gauge('tributary_sales_awaiting_rate', 'Sales waiting for an exchange rate', 'sales_awaiting_rate')
  gauge(
    'tributary_payout_rail_oldest_due_seconds',
    'Time since the most overdue payout rail call was due',
    'oldest_rail_call_seconds',
  )
  gauge('tributary_billing_events_due', 'Billing events that are to be processed', 'billing_events')
  gauge(
    'tributary_billing_events_oldest_due_seconds',
    'Time since the most overdue billing event was due',
    'oldest_billing_event_seconds',
  )
  new Gauge({
    name: 'tributary_payout_items_open',
    help: 'Payout items that are not yet paid, failed or cancelled',
    labelNames: ['status'],
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const backlog = await query()
      this.set({ status: 'pending' }, backlog?.pending_items ?? Number.NaN)
      this.set({ status: 'processing' }, backlog?.processing_items ?? Number.NaN)
    },
  })
}
