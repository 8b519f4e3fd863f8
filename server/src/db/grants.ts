import { createHash } from 'node:crypto'
import pg from 'pg'
import { sql } from './sql.ts'

/**
 * The service role's privileges on each table, as few as possible. In the ledger, for example, entries can be inserted and their
 * status updated, but not even a bug can change an amount or delete a row.
 */
export const grants: Record<string, string> = {
  accounts: 'SELECT, INSERT, UPDATE (name, time_zone)',
  users: 'SELECT, INSERT, UPDATE (password_hash, name)',
  memberships: 'SELECT, INSERT, UPDATE (role), DELETE',
  sessions: 'SELECT, INSERT, UPDATE (last_seen_at, expires_at), DELETE',
  setup_codes: 'SELECT, INSERT, DELETE',
  password_resets: 'SELECT, INSERT, DELETE',
  invitations: 'SELECT, INSERT, DELETE',
  audit_log: 'SELECT, INSERT',
  mails: 'SELECT, INSERT, UPDATE (status, attempts, due_at, problem, sent_at, text_body, html_body)',
  api_keys: 'SELECT, INSERT, UPDATE (last_used_at, revoked_at)',
  api_key_admissions: 'SELECT, INSERT, DELETE',
  installation: 'SELECT, INSERT',
  campaigns:
    'SELECT, INSERT, UPDATE (name, visibility, attribution_model, attribution_window_days, hold_days, minimum_payout_minor, open_enrollment, destination_url, review_referrals, look_back, status)',
  campaign_stops: 'SELECT, INSERT, UPDATE (ended_at)',
  commission_rules: 'SELECT, INSERT',
  affiliates: 'SELECT, INSERT, UPDATE',
  enrolments: 'SELECT, INSERT',
  affiliate_notes: 'SELECT, INSERT, DELETE',
  referrals: 'SELECT, INSERT, UPDATE (status, reviewed_at, rejection_reason, rejection_is_shared)',
  commissions: 'SELECT, INSERT, UPDATE (status)',
  payouts: 'SELECT, INSERT, UPDATE (status, finished_at)',
  payout_items:
    'SELECT, INSERT, UPDATE (status, submission_id, outcome, reason, reference, external_id, settled_at)',
  payout_submissions:
    'SELECT, INSERT, UPDATE (status, maybe_sent_at, external_id, problem, attempts, due_at, paying_account, account_changed)',
  pinned_commissions: 'SELECT, INSERT, UPDATE (released)',
  rail_credentials: 'SELECT, INSERT, UPDATE',
  webhook_endpoints:
    'SELECT, INSERT, UPDATE (status, sealed_secret, deleted_at, failing_since, listens_until), DELETE',
  events: 'SELECT, INSERT',
  deliveries: 'SELECT, INSERT, UPDATE (status, attempts, due_at, leased_until), DELETE',
  delivery_attempts: 'SELECT, INSERT, DELETE',
  clicks: 'SELECT, INSERT, UPDATE (visitor_id)',
  affiliate_addresses: 'SELECT, INSERT, UPDATE (last_seen_at)',
  conversions: 'SELECT, INSERT, UPDATE (referral_id, attribution, occurred_at, sale_id)',
  pending_credits: 'SELECT, INSERT, UPDATE, DELETE',
  look_backs: 'SELECT, INSERT, UPDATE, DELETE',
  sales: 'SELECT, INSERT, UPDATE (awaits_rate, referral_id, unearned_reason)',
  refunds: 'SELECT, INSERT',
  refund_voids: 'SELECT, INSERT',
  fx_rates: 'SELECT, INSERT, UPDATE',
  portals: 'SELECT, INSERT, UPDATE',
  portal_sessions: 'SELECT, INSERT, UPDATE (last_seen_at, expires_at), DELETE',
  portal_views: 'SELECT, INSERT, UPDATE (session_hash, expires_at), DELETE',
  portal_joins: 'SELECT, INSERT, UPDATE (used_at), DELETE',
  // Rows are never updated, but SELECT … FOR UPDATE needs the privilege.
  notices: 'SELECT, INSERT, UPDATE (created_at), DELETE',
  magic_links: 'SELECT, INSERT, UPDATE (used_at), DELETE',
  idempotency_keys: 'SELECT, INSERT, UPDATE, DELETE',
  schema_migrations: 'SELECT',
}

/**
 * Tables whose ids are drawn before their rows are inserted: an event's payload contains it, and the rows of one conversion refer to
 * each other, which would take a round trip for each.
 */
const drawnIds = ['events', 'clicks', 'referrals', 'sales', 'conversions', 'commissions']

const statementsFor = (role: string) => {
  const name = pg.escapeIdentifier(role)
  return [
    `GRANT USAGE ON SCHEMA public TO ${name}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${name}`,
    ...drawnIds.map(table => `GRANT USAGE ON SEQUENCE ${table}_id_seq TO ${name}`),
    ...Object.entries(grants).map(([table, privileges]) => `GRANT ${privileges} ON ${table} TO ${name}`),
  ].join(';')
}

/** A hash of all privileges of all roles in the schema. */
const currentPrivileges = sql`(
  SELECT md5(string_agg(line, ';' ORDER BY line)) FROM (
    SELECT nspacl::text AS line FROM pg_namespace WHERE nspname = 'public'
    UNION ALL
    SELECT concat_ws(' ', relname, relacl) FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relacl IS NOT NULL
    UNION ALL
    SELECT concat_ws(' ', relname, attname, attacl) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND attacl IS NOT NULL) AS privileges)`

/** Stored after granting: a hash of the GRANT statements and of the privileges they resulted in. */
const markerOf = (role: string) =>
  sql`'rights ' || ${createHash('sha256').update(statementsFor(role)).digest('hex')} || ' ' || ${currentPrivileges}`

/** A SQL condition: whether the role's privileges are exactly those above. */
export const hasGrants = (role: string) =>
  sql`obj_description('schema_migrations'::regclass, 'pg_class') IS NOT DISTINCT FROM ${markerOf(role)}`

/**
 * Makes the role's privileges exactly those above, revoking what only an earlier version needed. A marker is stored so that this is
 * not repeated at every start: each GRANT invalidates the cached plans of every connection.
 */
export async function grantTo(client: pg.ClientBase, role: string): Promise<void> {
  await client.query(statementsFor(role))
  const { rows } = await client.query<{ marker: string }>(sql`SELECT ${markerOf(role)} AS marker`)
  await client.query(
    `COMMENT ON TABLE schema_migrations IS ${pg.escapeLiteral((rows[0] as { marker: string }).marker)}`,
  )
}
