/** What is restored is what was there: every row of every table, at one moment, and identifiers that go on from it. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { applyMigrations } from '../../src/db/apply-migrations.ts'
import { Database } from '../../src/db/database.ts'
import { grants } from '../../src/db/grants.ts'
import { knownMigrations } from '../../src/db/migration-files.ts'
import type { RestoreSummary } from '../../src/tools/backup/restore-backup.ts'
import { fillDemo } from '../../src/tools/demo/fill-demo.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'
import { dumpSchema } from '../schema-dump.ts'
import { TEMPLATE } from '../template-database.ts'
import {
  backUp,
  backUpTo,
  everyRow,
  headerOf,
  type NewDatabase,
  newDatabase,
  restore,
  secrets,
} from './scene.ts'

/** Texts that a careless writer of lines would break. */
const NASTY = [
  '\\.',
  '\\N',
  '',
  'a\tb\nc\rd\\e\\',
  '\n\\.\n',
  '\'"$1',
  'é漢🙂\u0001\u007f',
  'x'.repeat(200_000),
]

/** A row for each table that the demo leaves empty. */
const REST = [
  `installation (secret_key_check) VALUES ('\\x${secrets.check().toString('hex')}')`,
  `fx_rates (base, quote, day, rate, source) VALUES ('EUR', 'USD', '2026-01-31', 1.08530000, 'hand')`,
  `setup_codes (code_hash) VALUES ('\\x00ff0a5c')`,
  `rail_credentials (account_id, rail, sealed) VALUES (1, 'paypal', '\\x5c2e0a095c4e00ff')`,
  `connectors (account_id, provider, sealed_secret) VALUES (1, 'stripe', '\\x5c00ff')`,
  `connector_events (account_id, connector_id, provider_id, type, occurred_at, body)
     SELECT 1, id, 'evt_1', 'invoice.paid', now(), '{"a": "\\u00e9\\t"}' FROM connectors`,
  `connector_links (account_id, connector_id, kind, ref, target, targets) SELECT 1, id, 'email', 'cus_1', 'b', '{a,b}' FROM connectors`,
  `connector_sales (account_id, connector_id, external_id, customer, amount_minor, paid_minor, currency, products, occurred_at)
     SELECT 1, id, 'stripe:in_1', 'cus_1', 100, 120, 'USD', '{prod_1}', now() FROM connectors`,
  `connector_refunds (account_id, connector_id, external_id, kind) SELECT 1, id, 'stripe:re_1', 'refund' FROM connectors`,
  `connector_subscriptions (account_id, connector_id, subscription, customer, status, occurred_at)
     SELECT 1, id, 'sub_1', 'cus_1', 'active', now() FROM connectors`,
  `connector_codes (account_id, connector_id, affiliate_id, code, code_key)
     SELECT 1, c.id, min(a.id), 'JANE20', 'jane20' FROM connectors c JOIN affiliates a USING (account_id) GROUP BY c.id`,
  `connector_credits (account_id, connector_id, commission_id, amount_minor, customer, balance_minor, balance_currency)
     SELECT 1, c.id, (SELECT min(id) FROM commissions WHERE account_id = 1), 9007199254740993, 'cus_1', -1, 'EUR' FROM connectors c`,
  `credit_changes (account_id, commission_id) VALUES (1, 1)`,
  `affiliate_addresses (account_id, affiliate_id, address_hash) VALUES (1, 1, '\\x00')`,
  `payout_submissions (account_id, payout_id, sender_batch_id) SELECT 1, min(id), 'b' FROM payouts`,
  `idempotency_keys (account_id, api_key_id, idempotency_key, request_hash, sealed_answer)
     SELECT 1, min(id), 'k', '', '' FROM api_keys`,
  `magic_links (account_id, token_hash, affiliate_id, expires_at) VALUES (1, '\\x00', 1, '2026-01-31 12:00:00.001+05:30')`,
  `portals (account_id, name, frame_origins, logo, logo_type) VALUES (1, 'Zoë', '{https://a.example,"https://b.example"}', '\\x00ff5c0a', 'image/png')`,
  `portal_sessions (account_id, token_hash, affiliate_id, expires_at) VALUES (1, '\\x01', 1, now())`,
  `portal_views (account_id, link_hash, session_hash, affiliate_id, user_id, expires_at) VALUES (1, '\\x01', '\\x02', 1, 1, now())`,
  `test_payouts (account_id, campaign_id, currency) VALUES (1, 1, 'USD')`,
  `test_payout_entries (account_id, commission_id, test_payout_id)
     SELECT 1, (SELECT min(id) FROM commissions WHERE account_id = 1), min(id) FROM test_payouts`,
  `mail_templates (account_id, kind, subject, body) VALUES (1, 'approved', 'Hi {{affiliate}}', E'a\\n\\nb')`,
  `mail_servers (account_id, from_address, sealed) VALUES (1, 'a@b.example', '\\x5c2e')`,
  `creatives (account_id, kind, name, text) VALUES (1, 'text', 'Tweet', 'Look: {link}')`,
  `creatives (account_id, kind, name, file, file_type, file_version)
     VALUES (1, 'document', 'Zoë', decode(repeat('00ff5c0a', 500000), 'hex'), 'application/pdf', '00')`,
  `join_forms (account_id, campaign_id, version, questions)
     VALUES (1, 1, 2, '[{"kind": "text", "label": "Zoë?", "is_required": true, "choices": []}]')`,
  `campaign_terms (account_id, campaign_id, version, text) VALUES (1, 1, 1, E'a\\n\\nb')`,
  `join_answers (account_id, affiliate_id, campaign_id, position, kind, question, answer)
     VALUES (1, 1, 1, 1, 'text', 'Zoë?', E'a\\tb')`,
  `terms_acceptances (account_id, affiliate_id, campaign_id, version, accepted_at) VALUES (1, 1, 1, 1, now())`,
  `token_aliases (account_id, token, affiliate_id) VALUES (1, 'former', 1)`,
  `leaderboard_names (account_id, affiliate_id, nickname) VALUES (1, 1, 'Ace')`,
  `affiliate_notes (account_id, affiliate_id, user_id, text) VALUES (1, 1, 1, 'Calls on “Mondays”')`,
  `portal_joins (account_id, token_hash, campaign_id, email, email_key, expires_at) VALUES (1, '\\x02', 1, 'A@x.y', 'a@x.y', now())`,
  ...['password_resets', 'sessions'].map(
    table => `${table} (token_hash, user_id, expires_at) VALUES ('\\x00', 1, 'infinity')`,
  ),
  `invitations (account_id, email, email_key, role, token_hash, invited_by, expires_at)
     VALUES (1, 'A', 'a', 'viewer', '\\x00', 1, now())`,
  `pending_credits (account_id, affiliate_id, conversion_id, attribution, place, is_test, review, credit_until)
     SELECT v.account_id, (SELECT min(id) FROM affiliates), v.id, v.attribution, 0, false, '{why}', now() FROM conversions v LIMIT 3`,
  `tracked_leads (account_id, email_hash, click_id, email, email_key) VALUES (1, '\\x00ff', 1, 'Zoë@x.y', 'zoë@x.y')`,
  `customer_emails (account_id, customer_ref, email, email_key) VALUES (1, E'a\\tb', 'Zoë@x.y', 'zoë@x.y')`,
  `tracking_settings (account_id, sites, shares_subdomains) VALUES (1, '{https://staging.example.com,http://localhost}', true)`,
  `insight_accounts (account_id, time_zone, closed_until) VALUES (1, 'UTC', '2026-01-31')`,
  `insight_visits VALUES (1, '2026-01-31', 1, 1, 3, 2, 1)`,
  `insight_earnings VALUES (1, '2026-01-31', 1, 1, 'USD', 0, 1, 2, 9007199254740993, 0, 0, 1, 100)`,
  // Their sums by day are the triggers'.
  `insight_total_days VALUES (1, '2026-02-01')`,
  `insight_totals VALUES (1, '2026-02-01', 1, 1, 3, 2, 1, 0, 1, 2, 9007199254740993, 0, 0, 1, 100, 'USD')`,
  `insight_cohort_days VALUES (1, '2026-01-31', '2025-11-01', 1, 1, 'USD', 1, 9007199254740993, 0)`,
  `insight_cohorts VALUES (1, 0, '2025-11-01', '2026-01-01', 1, 'USD', 1, 9007199254740993, 0)`,
  // The demo has turned it off.
  `digests (account_id, kind) VALUES (1, 'team')
     ON CONFLICT (account_id, kind) DO UPDATE SET due_day = '2026-01-26', after_id = 9007199254740993, is_done = false`,
  'digest_refusals (account_id, user_id) VALUES (1, 1)',
  `insight_sources VALUES (1, '2026-01-31', 'referrer', 1, E'a\\tb', 3, 2, 1, 1)`,
  `insight_source_earnings VALUES (1, '2026-01-31', 'referrer', 1, E'a\\tb', 'USD', 0, 1, 2, 9007199254740993, 0, 0, 1, 100)`,
  `referral_sources VALUES (1, 1, 1, 1, 'blog.example', NULL, NULL, E'a\\tb', NULL, NULL, 'mobile', NULL)`,
  `signals (account_id, affiliate_id, kind, campaign_id, score, evidence, weight, status, decision, reason, decided_weight, decided_at)
     VALUES (1, 1, 'shared_network', 1, 60, '{"parts": [], "affiliates": [2]}', 3, 'decided', 'dismiss', 'Zoë’s family', 3, now())`,
  `campaign_stops (account_id, campaign_id, status) VALUES (1, 1, 'paused')`,
  `past_assignments (account_id, referral_id, campaign_id, affiliate_id)
   SELECT account_id, id, campaign_id, affiliate_id FROM referrals LIMIT 1`,
  `look_backs (account_id, affiliate_id) SELECT account_id, id FROM affiliates LIMIT 1`,
]

let database: TestDatabase
let from: string
let file: Buffer
/** What it was restored into, which was empty. */
let restored: NewDatabase
let summary: RestoreSummary
const targets: NewDatabase[] = []
async function target(template?: string) {
  const made = await newDatabase(template)
  targets.push(made)
  return made
}

beforeAll(async () => {
  database = await createDatabase()
  from = database.service.database as string
  const owner = new Database({ ...inject('postgres').owner, database: from, max: 1 }, error => {
    throw error
  })
  const services = { db: owner, secrets, settings: readSettings({}), baseUrl: 'https://programme.example' }
  await fillDemo(owner, services, { accountName: 'Meridian', seed: 1, scale: 0.05 })
  await owner.close()
  for (const rows of REST) await database.owner.query(`INSERT INTO ${rows}`)
  await database.owner.query(`
    UPDATE referrals SET review_periods = '{(,"2026-01-31 12:00:00.001+05:30"),["2026-02-01 00:00Z",)}'
     WHERE id = (SELECT min(id) FROM referrals)`)
  await database.owner.query('SELECT prepare_click_months()')
  for (const text of NASTY)
    await database.owner.query(
      `INSERT INTO delivery_attempts (account_id, delivery_id, number, started_at, duration_ms, response_body, error_stage, error)
       SELECT account_id, id, 1000, now(), 1, convert_to($1, 'UTF8'), 'connect', $1 FROM deliveries LIMIT 1`,
      [text],
    )
  file = await backUp(from)
  restored = await target()
  summary = await restore(restored.name, file)
})
afterAll(async () => {
  for (const { drop } of targets) await drop()
  await database.drop()
})

it('holds every table that the service has a right to, but for the one that a crash empties', () => {
  const names = headerOf(file).tables.map(({ name }) => name)
  expect(names.toSorted()).toEqual(
    Object.keys(grants)
      .filter(name => name !== 'api_key_admissions')
      .toSorted(),
  )
})

it('brings back every row where it was, and the schema as the migrations make it', async () => {
  const { name, owner } = restored
  const before = await everyRow(database.owner)
  expect(Object.keys(before).filter(table => before[table]?.length === 0)).toEqual(['api_key_admissions'])
  const after = await everyRow(owner)
  expect(after).toEqual(before)
  expect(summary).toMatchObject({ rows: Object.values(after).flat().length, leftOut: [] })
  expect(summary.rows).toBeGreaterThan(2_000)
  expect(await dumpSchema(owner)).toBe(await dumpSchema(database.owner))

  const again = await target(TEMPLATE)
  await restore(again.name, await backUp(name))
  expect(await everyRow(again.owner)).toEqual(before)
})

it('goes on counting where it stopped', async () => {
  const { owner } = restored
  const statement = 'SELECT sequencename, last_value FROM pg_sequences ORDER BY 1'
  expect((await owner.query(statement)).rows).toEqual((await database.owner.query(statement)).rows)
  const insert = `INSERT INTO accounts (name, slug) VALUES ('Next', 'next') RETURNING id`
  expect((await owner.query(insert)).rows).toEqual([{ id: '2' }])
})

it('a service that was started and never used is as good as an empty database', async () => {
  const { name, owner } = await target(TEMPLATE)
  await owner.query(
    `INSERT INTO installation (secret_key_check) VALUES ('\\x00'); SELECT prepare_click_months()`,
  )
  await owner.query(`INSERT INTO setup_codes (code_hash) VALUES ('\\x01')`)
  // The first is in the backup, too.
  await owner.query(`INSERT INTO fx_rates (base, quote, day, rate, source)
    VALUES ('EUR', 'USD', '2026-01-31', 2, 'ecb'), ('EUR', 'GBP', '2026-01-31', 1, 'ecb')`)
  await restore(name, file)
  expect((await owner.query('SELECT * FROM fx_rates')).rows).toEqual(
    (await database.owner.query('SELECT * FROM fx_rates')).rows,
  )
  const { rows } = await owner.query('SELECT secret_key_check FROM installation')
  expect(rows).toEqual([{ secret_key_check: secrets.check() }])
})

it('a backup from an older version is brought up to date', async () => {
  const old = await target()
  const known = knownMigrations()
  const client = await old.owner.connect()
  await applyMigrations(client, known.slice(0, 5))
  await client.query(`INSERT INTO accounts (name, slug) VALUES ('Old', 'old')`)
  client.release()
  const { name, owner } = await target()
  await restore(name, await backUp(old.name))
  expect((await owner.query('SELECT slug FROM accounts')).rows).toEqual([{ slug: 'old' }])
  expect((await owner.query('SELECT max(version) AS newest FROM schema_migrations')).rows).toEqual([
    { newest: known.at(-1)?.version },
  ])
  expect(await dumpSchema(owner)).toBe(await readFile(join(import.meta.dirname, '../../schema.sql'), 'utf8'))
})

it('tables that the operator put beside ours are left out, by name', async () => {
  await restored.owner.query(`
    CREATE TABLE notes (text text);
    CREATE TABLE visits (day date) PARTITION BY RANGE (day);
    CREATE TABLE visits_2026 PARTITION OF visits FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    INSERT INTO notes VALUES ('mine'); INSERT INTO visits VALUES ('2026-01-31')`)
  const { name } = await target(TEMPLATE)
  expect((await restore(name, await backUp(restored.name))).leftOut).toEqual(['notes', 'visits'])
})

/** Each writing adds to the first table and to the last one at once, so a backup of two moments would tell them apart. */
const writePair = (owner: pg.Pool, name: string) =>
  owner.query(`
    WITH account AS (INSERT INTO accounts (name, slug) VALUES ('A', '${name}') RETURNING slug)
    INSERT INTO setup_codes (code_hash) SELECT convert_to(slug, 'UTF8') FROM account`)

it('shows one moment, however much is written meanwhile', async () => {
  const source = await target(TEMPLATE)
  await writePair(source.owner, 'before')
  // More in between than any buffer on the way holds, so the backup stands there until it is read.
  await source.owner.query(`INSERT INTO fx_rates (base, quote, day, rate, source)
    SELECT 'EUR', 'USD', '1900-01-01'::date + n, random() * 1e6, 'hand' FROM generate_series(1, 30000) n`)
  const sink = new PassThrough({ highWaterMark: 1 })
  const writing = backUpTo(sink, source.name)
  await once(sink, 'readable')
  await writePair(source.owner, 'during')
  const [during] = await Promise.all([buffer(sink), writing])
  const { name, owner } = await target(TEMPLATE)
  await restore(name, during)
  const { rows } = await owner.query(
    `SELECT slug, (SELECT count(*)::integer FROM setup_codes) AS codes FROM accounts`,
  )
  expect(rows).toEqual([{ slug: 'before', codes: 1 }])
})

it('lets writers go on and holds up migrations while it reads', async () => {
  // The sink is not read, so the backup blocks until the test reads it.
  const sink = new PassThrough({ highWaterMark: 1 })
  const writing = backUpTo(sink, from)
  await once(sink, 'readable')
  const client = await database.owner.connect()
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = '1s'`)
    await client.query(`INSERT INTO setup_codes (code_hash) VALUES ('\\x02')`)
    await expect(
      client.query(`INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'x', 'x')`),
    ).rejects.toThrow(/lock timeout/)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  await Promise.all([writing, buffer(sink)])
})

it('a backup that is broken off leaves nothing waiting', async () => {
  const sink = new PassThrough({ highWaterMark: 1 })
  const interrupted = new AbortController()
  const writing = backUpTo(sink, from, interrupted.signal)
  await once(sink, 'readable')
  interrupted.abort()
  await expect(writing).rejects.toThrow()
  const waiting = async () => {
    const { rows } = await database.owner.query(
      `SELECT pid, query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'`,
    )
    return rows
  }
  // PostgreSQL notices a closed connection a moment after it was closed here.
  await expect.poll(waiting).toEqual([])
})

it('triggers on new rows are away while rows are restored, so that none has a side effect, and back afterwards', async () => {
  const inserting = `SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND (tgtype & 4) <> 0`
  const INSERT_TRIGGERS = 7
  expect((await database.owner.query('SELECT FROM insight_marks')).rowCount).toBeGreaterThan(0)
  for (const { owner } of [database, restored]) {
    const { rows } = await owner.query(`${inserting} AND tgenabled = 'O' ORDER BY 1`)
    expect(rows.length).toBe(INSERT_TRIGGERS)
  }
})
