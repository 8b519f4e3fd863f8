import { createHash } from 'node:crypto'
import pg from 'pg'
import { sql } from './sql.ts'

/**
 * What the service may do with each table, and no more. The ledger shows the point: entries can be added and their
 * status moved, but not even a fault in the program can change an amount or delete a row.
 */
export const grants: Record<string, string> = {
  accounts: 'SELECT, INSERT, UPDATE (name)',
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
    'SELECT, INSERT, UPDATE (name, visibility, attribution_model, attribution_window_days, hold_days, minimum_payout_minor, open_enrollment, destination_url, review_referrals, look_back)',
  commission_rules: 'SELECT, INSERT',
  affiliates: 'SELECT, INSERT, UPDATE',
  enrolments: 'SELECT, INSERT',
  referrals: 'SELECT, INSERT, UPDATE (status, reviewed_at)',
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
  portal_joins: 'SELECT, INSERT, UPDATE (used_at), DELETE',
  // Nothing of it is ever changed, but to lock a row one must be allowed to.
  notices: 'SELECT, INSERT, UPDATE (created_at), DELETE',
  magic_links: 'SELECT, INSERT, UPDATE (used_at), DELETE',
  idempotency_keys: 'SELECT, INSERT, UPDATE, DELETE',
  schema_migrations: 'SELECT',
}

const statementsFor = (role: string) => {
  const name = pg.escapeIdentifier(role)
  return [
    `GRANT USAGE ON SCHEMA public TO ${name}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${name}`,
    // The id of an event is drawn before its row is written, since the body holds it.
    `GRANT USAGE ON SEQUENCE events_id_seq TO ${name}`,
    `GRANT USAGE ON SEQUENCE clicks_id_seq TO ${name}`,
    ...Object.entries(grants).map(([table, rights]) => `GRANT ${rights} ON ${table} TO ${name}`),
  ].join(';')
}

/** The rights that anybody has on anything here, in one word. */
const rightsInForce = sql`(
  SELECT md5(string_agg(line, ';' ORDER BY line)) FROM (
    SELECT nspacl::text AS line FROM pg_namespace WHERE nspname = 'public'
    UNION ALL
    SELECT concat_ws(' ', relname, relacl) FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relacl IS NOT NULL
    UNION ALL
    SELECT concat_ws(' ', relname, attname, attacl) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND attacl IS NOT NULL) AS rights)`

/** What is noted once they are granted: what was wished for, and what that made. */
const noteOf = (role: string) =>
  sql`'rights ' || ${createHash('sha256').update(statementsFor(role)).digest('hex')} || ' ' || ${rightsInForce}`

/** Whether the role's rights are exactly the above, as a condition in SQL. */
export const hasRights = (role: string) =>
  sql`obj_description('schema_migrations'::regclass, 'pg_class') IS NOT DISTINCT FROM ${noteOf(role)}`

/**
 * Makes the role's rights exactly the above: a right that an earlier version gave and this one does not is taken back. It is noted,
 * so that it is not done again at every start: each grant makes every connection forget its plans.
 */
export async function grantTo(client: pg.ClientBase, role: string): Promise<void> {
  await client.query(statementsFor(role))
  const { rows } = await client.query<{ note: string }>(sql`SELECT ${noteOf(role)} AS note`)
  await client.query(
    `COMMENT ON TABLE schema_migrations IS ${pg.escapeLiteral((rows[0] as { note: string }).note)}`,
  )
}
