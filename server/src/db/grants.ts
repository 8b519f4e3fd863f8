import { createHash } from 'node:crypto'
import pg from 'pg'
import { sql } from './sql.ts'

/**
 * The service role's privileges on each table, as few as possible. In the ledger, for example, entries can be inserted and their
 * status updated, but not even a bug can change an amount or delete a row.
 */
export const grants: Record<string, string> = {
  accounts:
    'SELECT, INSERT, UPDATE (name, time_zone, checklist_dismissed, site_url, keeps_customer_emails, reporting_currency)',
  users: 'SELECT, INSERT, UPDATE (password_hash, name)',
  memberships: 'SELECT, INSERT, UPDATE (role, wants_digest), DELETE',
  sessions: 'SELECT, INSERT, UPDATE (last_seen_at, expires_at), DELETE',
  setup_codes: 'SELECT, INSERT, DELETE',
  password_resets: 'SELECT, INSERT, DELETE',
  invitations: 'SELECT, INSERT, DELETE',
  audit_log: 'SELECT, INSERT',
  mails:
    'SELECT, INSERT, UPDATE (status, attempts, due_at, problem, unanswered, sent_at, text_body, html_body, unsubscribe_url)',
  digests: 'SELECT, INSERT, UPDATE (is_on, since, due_day, after_id, is_done), DELETE',
  digest_refusals: 'SELECT, INSERT, DELETE',
  mail_servers: 'SELECT, INSERT, UPDATE (from_address, sealed, updated_at), DELETE',
  mail_templates: 'SELECT, INSERT, UPDATE (subject, body, updated_at), DELETE',
  api_keys: 'SELECT, INSERT, UPDATE (last_used_at, revoked_at)',
  api_key_admissions: 'SELECT, INSERT, DELETE',
  installation: 'SELECT, INSERT',
  campaigns:
    'SELECT, INSERT, UPDATE (name, visibility, attribution_model, attribution_window_days, hold_days, minimum_payout_minor, open_enrollment, destination_url, review_referrals, look_back, forbids_paid_search, status)',
  campaign_stops: 'SELECT, INSERT, UPDATE (ended_at)',
  commission_rules: 'SELECT, INSERT',
  join_forms: 'SELECT, INSERT, UPDATE (version, questions, updated_at)',
  campaign_terms: 'SELECT, INSERT',
  join_answers: 'SELECT, INSERT, DELETE',
  terms_acceptances: 'SELECT, INSERT',
  creatives: 'SELECT, INSERT, UPDATE (name, text, position), DELETE',
  affiliates: 'SELECT, INSERT, UPDATE',
  enrolments: 'SELECT, INSERT',
  token_aliases: 'SELECT, INSERT, DELETE',
  affiliate_notes: 'SELECT, INSERT, DELETE',
  referrals:
    'SELECT, INSERT, UPDATE (campaign_id, affiliate_id, status, reviewed_at, rejection_reason, rejection_is_shared)',
  past_assignments: 'SELECT, INSERT',
  commissions: 'SELECT, INSERT, UPDATE (status)',
  payouts: 'SELECT, INSERT, UPDATE (status, finished_at)',
  payout_items:
    'SELECT, INSERT, UPDATE (status, submission_id, outcome, reason, reference, external_id, settled_at)',
  payout_submissions:
    'SELECT, INSERT, UPDATE (status, maybe_sent_at, external_id, problem, attempts, due_at, paying_account, account_changed)',
  pinned_commissions: 'SELECT, INSERT, UPDATE (released)',
  test_payouts: 'SELECT, INSERT',
  test_payout_entries: 'SELECT, INSERT',
  rail_credentials: 'SELECT, INSERT, UPDATE',
  webhook_endpoints:
    'SELECT, INSERT, UPDATE (status, sealed_secret, deleted_at, failing_since, listens_until), DELETE',
  events: 'SELECT, INSERT',
  deliveries: 'SELECT, INSERT, UPDATE (status, attempts, due_at, leased_until), DELETE',
  delivery_attempts: 'SELECT, INSERT, DELETE',
  clicks: 'SELECT, INSERT, UPDATE (visitor_id)',
  tracking_settings: 'SELECT, INSERT, UPDATE (sites, shares_subdomains)',
  tracked_leads: 'SELECT, INSERT, UPDATE (click_id, created_at, email, email_key), DELETE',
  customer_emails: 'SELECT, INSERT, UPDATE (email, email_key), DELETE',
  affiliate_addresses: 'SELECT, INSERT, UPDATE (last_seen_at, network_hash)',
  conversions:
    'SELECT, INSERT, UPDATE (campaign_id, referral_id, attribution, occurred_at, sale_id, is_test, subscription_ref)',
  pending_credits: 'SELECT, INSERT, UPDATE, DELETE',
  look_backs: 'SELECT, INSERT, UPDATE, DELETE',
  sales: 'SELECT, INSERT, UPDATE (awaits_rate, referral_id, unearned_reason, assignment, replaced_by)',
  refunds: 'SELECT, INSERT, UPDATE (reversed_at)',
  refund_voids: 'SELECT, INSERT',
  insight_accounts:
    'SELECT, INSERT, UPDATE (time_zone, closed_until, has_cohorts, facts_version, open_until, open_has_changed)',
  insight_marks: 'SELECT, INSERT, DELETE',
  insight_visits: 'SELECT, INSERT, UPDATE (clicks, unique_clicks, leads), DELETE',
  insight_earnings: `SELECT, INSERT, UPDATE (conversions, customers, sales, revenue_minor, refunds, refunded_minor, commissions,
    commissions_minor), DELETE`,
  insight_visit_days: 'SELECT, INSERT, DELETE',
  insight_earning_days: 'SELECT, INSERT, DELETE',
  insight_total_days: 'SELECT, INSERT, DELETE',
  insight_totals: 'SELECT, INSERT, DELETE',
  insight_sources: 'SELECT, INSERT, UPDATE (clicks, unique_clicks, leads), DELETE',
  insight_source_earnings: `SELECT, INSERT, UPDATE (conversions, customers, sales, revenue_minor, refunds, refunded_minor, commissions,
    commissions_minor), DELETE`,
  referral_sources: 'SELECT, INSERT',
  insight_cohort_days: 'SELECT, INSERT, DELETE',
  insight_cohorts: 'SELECT, INSERT, UPDATE (buyers, revenue_minor, refunded_minor), DELETE',
  signals:
    'SELECT, INSERT, UPDATE (campaign_id, score, evidence, weight, status, decision, reason, decided_weight, opened_at, updated_at, decided_at)',
  signal_checks: 'SELECT, INSERT, UPDATE (checked_at)',
  connectors:
    'SELECT, INSERT, UPDATE (sealed_secret, needs_secret, sealed_api_key, api_url, campaign_id, base, takes_tests, mapping, removed_at, synced_at, sync_claimed_at, sync_problem, processed_at, code_coupon, credits_since)',
  connector_events:
    'SELECT, INSERT, UPDATE (body, status, reason, attempts, due_at, waits_for, referral_id, sale_external_id, refund_external_id)',
  connector_links: 'SELECT, INSERT, UPDATE (target, occurred_at, targets)',
  connector_sales: 'SELECT, INSERT',
  connector_refunds: 'SELECT, INSERT, UPDATE (sale_external_id, amount_minor, is_reversed)',
  connector_codes:
    'SELECT, INSERT, UPDATE (idempotency_key, external_id, is_active, is_ours, problem, attempts, due_at)',
  connector_credits:
    'SELECT, INSERT, UPDATE (connector_id, customer, balance_minor, balance_currency, rejections, external_id, problem, attempts, due_at), DELETE',
  // Rows are inserted by a trigger, by the owner's rights.
  credit_changes: 'SELECT, DELETE',
  connector_subscriptions: 'SELECT, INSERT, UPDATE (customer, status, occurred_at)',
  fx_rates: 'SELECT, INSERT, UPDATE',
  portals: 'SELECT, INSERT, UPDATE',
  leaderboard_names: 'SELECT, INSERT, UPDATE (nickname), DELETE',
  portal_sessions: 'SELECT, INSERT, UPDATE (last_seen_at, expires_at), DELETE',
  portal_views: 'SELECT, INSERT, UPDATE (session_hash, expires_at), DELETE',
  portal_joins: 'SELECT, INSERT, UPDATE (used_at, answers), DELETE',
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
