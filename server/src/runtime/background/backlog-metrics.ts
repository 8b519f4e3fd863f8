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
}

/** Each part reads an index of just what waits, so it stays cheap however much has been done. */
const askBacklog = (db: Db) =>
  db.first<Backlog>(sql`
    /* every account */
    SELECT (SELECT max(version) FROM schema_migrations) AS schema_version,
           m.count AS mails, m.oldest AS oldest_mail_seconds,
           (SELECT count(*)::integer FROM sales s WHERE s.awaits_rate) AS sales_awaiting_rate,
           i.pending AS pending_items, i.processing AS processing_items,
           (SELECT coalesce(greatest(0, extract(epoch FROM now() - min(due_at))), 0)::double precision
              FROM payout_submissions WHERE due_at IS NOT NULL) AS oldest_rail_call_seconds
      FROM (SELECT count(*)::integer AS count,
                   coalesce(greatest(0, extract(epoch FROM now() - min(due_at))), 0)::double precision AS oldest
              FROM mails WHERE status = 'pending') m,
           (SELECT count(*) FILTER (WHERE status = 'pending')::integer AS pending,
                   count(*) FILTER (WHERE status = 'processing')::integer AS processing
              FROM payout_items WHERE status IN ('pending', 'processing')) i`)

/** What waits in the database, whichever process will see to it; every process tells the same, so that it is never summed. */
export function createBacklogMetrics(registry: Registry, db: Db): void {
  // While the database is away all of it is unknown; the other figures are wanted all the more.
  const ask = shared(() => askBacklog(db).catch(() => undefined))
  const gauge = (name: string, help: string, part: keyof Backlog) =>
    new Gauge({
      name,
      help,
      aggregator: 'max',
      registers: [registry],
      async collect() {
        this.set((await ask())?.[part] ?? Number.NaN)
      },
    })
  gauge('tributary_schema_version', 'The newest migration that the database has', 'schema_version')
  gauge('tributary_mails_waiting', 'Mails that are neither sent nor given up', 'mails')
  gauge(
    'tributary_mails_oldest_due_seconds',
    'How long the mail that is most overdue has been waiting',
    'oldest_mail_seconds',
  )
  gauge(
    'tributary_sales_awaiting_rate',
    'Sales that earn as soon as their rate of exchange is known',
    'sales_awaiting_rate',
  )
  gauge(
    'tributary_payout_rail_oldest_due_seconds',
    'How long the question to a payout rail that is most overdue has been waiting',
    'oldest_rail_call_seconds',
  )
  new Gauge({
    name: 'tributary_payout_items_open',
    help: 'Payout items that are neither paid, failed nor cancelled',
    labelNames: ['status'],
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const backlog = await ask()
      this.set({ status: 'pending' }, backlog?.pending_items ?? Number.NaN)
      this.set({ status: 'processing' }, backlog?.processing_items ?? Number.NaN)
    },
  })
}
