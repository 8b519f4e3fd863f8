import type { Db } from '../../db/database.ts'
import { repeatBounded } from '../../db/repeat-bounded.ts'
import { sql } from '../../db/sql.ts'

/** The most that one statement deletes, so that a long backlog never holds locks for long. */
const MOST = 10_000

/**
 * Deletes expired rows of all accounts. What may be a long backlog is deleted by bounded statements, one after the other, of which each
 * skips the rows that another process is at.
 */
export const sweeps: Record<string, (db: Db, signal?: AbortSignal) => Promise<unknown>> = {
  'idempotency keys': (db, signal) =>
    repeatBounded(
      MOST,
      () =>
        db.many(sql`
    /* every account */
    -- The age is checked again on the row itself: a key reused concurrently has a new response to keep.
    DELETE FROM idempotency_keys WHERE created_at < now() - interval '24 hours' AND ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency_keys WHERE created_at < now() - interval '24 hours' LIMIT ${MOST} FOR UPDATE SKIP LOCKED)) RETURNING 1`),
      signal,
    ),
  'magic links': (db, signal) =>
    repeatBounded(
      MOST,
      () =>
        db.many(sql`
    /* every account */ DELETE FROM magic_links WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM magic_links WHERE expires_at < now() - interval '7 days' LIMIT ${MOST} FOR UPDATE SKIP LOCKED)) RETURNING 1`),
      signal,
    ),
  // Catches a delivery that was enqueued at the moment its endpoint was disabled.
  'orphaned deliveries': db =>
    db.many(sql`
    /* every account */ UPDATE deliveries d SET status = 'canceled' FROM webhook_endpoints w
     WHERE w.account_id = d.account_id AND w.id = d.endpoint_id AND d.status = 'pending'
       AND (w.status = 'disabled' OR w.deleted_at IS NOT NULL)`),
  'delivery log': (db, signal) =>
    repeatBounded(
      MOST,
      () =>
        db.many(sql`
    /* every account */
    -- The oldest of each endpoint, by id: an index on the age would cost every delivery two more entries.
    DELETE FROM deliveries WHERE ctid = ANY (ARRAY(
      SELECT l.ctid FROM deliveries l WHERE l.ctid = ANY (ARRAY(
        SELECT o.ctid
          FROM webhook_endpoints w
          JOIN LATERAL (SELECT d.created_at FROM deliveries d WHERE d.account_id = w.account_id AND d.endpoint_id = w.id
                         ORDER BY d.id LIMIT 1) oldest ON oldest.created_at < now() - interval '90 days'
         CROSS JOIN LATERAL (SELECT d.ctid, d.created_at, d.status FROM deliveries d
                              WHERE d.account_id = w.account_id AND d.endpoint_id = w.id ORDER BY d.id LIMIT ${MOST}) o
         WHERE o.created_at < now() - interval '90 days' AND o.status <> 'pending' LIMIT ${MOST})) FOR UPDATE SKIP LOCKED)) RETURNING 1`),
      signal,
    ),
  'deleted endpoints': db =>
    db.many(sql`
    /* every account */ DELETE FROM webhook_endpoints w WHERE w.deleted_at < now() - interval '90 days'
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = w.account_id AND d.endpoint_id = w.id)`),
  sessions: db => db.many(sql`DELETE FROM sessions WHERE expires_at < now()`),
  'password resets': db => db.many(sql`DELETE FROM password_resets WHERE expires_at < now()`),
  invitations: db =>
    db.many(sql`/* every account */ DELETE FROM invitations WHERE expires_at < now() - interval '30 days'`),
  'portal sessions': db =>
    db.many(sql`/* every account */ DELETE FROM portal_sessions WHERE expires_at < now()`),
  'portal views': db => db.many(sql`/* every account */ DELETE FROM portal_views WHERE expires_at < now()`),
  'portal joins': db =>
    db.many(sql`/* every account */ DELETE FROM portal_joins WHERE expires_at < now() - interval '7 days'`),
  // A week longer than an approval could still credit them: one that came in time may still be in progress.
  'pending credits': (db, signal) =>
    repeatBounded(
      MOST,
      () =>
        db.many(sql`
    /* every account */ DELETE FROM pending_credits WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM pending_credits WHERE credit_until < now() - interval '7 days' LIMIT ${MOST} FOR UPDATE SKIP LOCKED)) RETURNING 1`),
      signal,
    ),
  admissions: db =>
    db.many(sql`
    /* every account */ DELETE FROM api_key_admissions WHERE counts_until < now()`),
}
