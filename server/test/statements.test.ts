/** Protects accounts from each other at the source: no statement touches a tenant's table without binding it by account_id. */
import { loadModule } from 'libpg-query'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unboundTables } from './account-binding.ts'
import { createDatabase, type TestDatabase } from './harness.ts'
import { sourceFiles } from './source-files.ts'
import { asStatement, templatesIn } from './sql-templates.ts'

/** Files whose statements may cover all accounts, and must be marked. */
const EVERY_ACCOUNT = '/* every account */'
const mayServeEveryAccount = [
  'server/src/runtime/background/backlog-metrics.ts',
  'server/src/runtime/background/sweeps.ts',
  'server/src/runtime/installation/checks.ts',
  'server/src/connectors/connector.store.ts',
  'server/src/connectors/connector-event.store.ts',
  'server/src/connectors/codes/code.store.ts',
  'server/src/connectors/credits/credit.store.ts',
  'server/src/earning/conversions/pending-credit.store.ts',
  'server/src/earning/customers/customer-email.store.ts',
  'server/src/insight/wrong-days.store.ts',
  'server/src/insight/insight.store.ts',
  'server/src/insight/open-day.store.ts',
  'server/src/insight/unknown-zones.store.ts',
  'server/src/insight/signals/signal.store.ts',
  'server/src/webhooks/delivery/claim-deliveries.store.ts',
  'server/src/webhooks/delivery/delivery-queue.store.ts',
  'server/src/webhooks/outbox/endpoint-locks.ts',
  'server/src/tools/demo/demo.store.ts',
  'server/src/http/authenticate/admission.store.ts',
  'server/src/money/ledger/damage.ts',
  'server/src/money/ledger/holds.ts',
  'server/src/money/ledger/invariants.ts',
  'server/src/mail/mail.store.ts',
  'server/src/mail/servers/mail-server.store.ts',
  'server/src/mail/notices/notice.store.ts',
  'server/src/money/payouts/submission.store.ts',
  'server/src/money/payouts/payment-outcome.store.ts',
  'server/src/portal/join.store.ts',
  'server/src/programme/digests/digest.store.ts',
  'server/src/programme/portal-access/portal-session.store.ts',
  'server/src/programme/portal-settings/portal.store.ts',
  'server/src/programme/portal-views/portal-view.store.ts',
  'server/src/earning/sales/awaiting-rate.store.ts',
  'server/src/programme/team/session.store.ts',
  'server/src/programme/team/team.store.ts',
  'server/src/earning/tracking/click.store.ts',
  'server/src/earning/tracking/lead.store.ts',
  'server/src/earning/tracking/link.store.ts',
  'server/src/webhooks/endpoints/listener.store.ts',
]

const sources = new Map([...sourceFiles('server/src')].filter(([file]) => !file.endsWith('.test.ts')))
const statements = [...sources].flatMap(([file, source]) =>
  templatesIn(source).map(template => ({
    at: `${file}:${template.line}`,
    file,
    text: asStatement(template),
  })),
)

let database: TestDatabase
const tenantTables = new Set<string>()
beforeAll(async () => {
  await loadModule()
  database = await createDatabase()
  const { rows } = await database.owner.query(`
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`)
  for (const { relname } of rows) tenantTables.add(relname)
})
afterAll(() => database.drop())

it('finds the statements and the tables', () => {
  expect(statements.length).toBeGreaterThan(40)
  expect([...tenantTables]).toEqual(
    expect.arrayContaining(['affiliates', 'commissions', 'payout_items', 'webhook_endpoints']),
  )
  for (const [file, source] of sources)
    expect([file, templatesIn(source).length]).toEqual([file, source.split(/(?<![\w.])sql`/).length - 1])
})

const touchingTables = statements.filter(({ text }) => /\b(FROM|INTO|UPDATE|JOIN)\b/i.test(text))

it.each(
  touchingTables
    .filter(({ text }) => !text.startsWith(EVERY_ACCOUNT))
    .map(({ at, text }) => [at, text] as const),
)('%s', async (_at, text) => {
  expect(await unboundTables(text, tenantTables)).toEqual([])
})

it('what account_id is compared with is an account', () => {
  const compared = [...sources].flatMap(([file, source]) =>
    templatesIn(source).flatMap(({ texts, expressions, line }) =>
      expressions
        .filter((_, index) => /\baccount_id = $/.test(texts[index] as string))
        .map(expression => [`${file}:${line}`, expression]),
    ),
  )
  expect(compared.length).toBeGreaterThan(20)
  expect(compared.filter(([, expression]) => !/account/i.test(expression as string))).toEqual([])
})

it('only these files may serve every account in one statement', () => {
  const marked = touchingTables.filter(({ text }) => text.startsWith(EVERY_ACCOUNT)).map(({ file }) => file)
  expect([...new Set(marked)].toSorted()).toEqual(mayServeEveryAccount.toSorted())
})

it('the mark for statements over every account is allowed only at the beginning of one', () => {
  const marked = statements.filter(({ text }) => text.startsWith(EVERY_ACCOUNT)).length
  const written = [...sources.values()].reduce(
    (sum, source) => sum + source.split(EVERY_ACCOUNT).length - 1,
    0,
  )
  expect(written).toBe(marked)
})

it('SQL is written through the sql tag: only db/ calls the driver, and backup/, which copies whole tables', () => {
  for (const [file, source] of sources) {
    if (/^server\/src\/(db|tools\/backup)\//.test(file)) continue
    expect([file, /\.query\(/.test(source)]).toEqual([file, false])
    expect([
      file,
      /from 'pg'|sql-template-tag|\braw\(/.test(source.replaceAll(/^import type .*$/gm, '')),
    ]).toEqual([file, false])
  }
})

describe('the check refuses', () => {
  it.each([
    'SELECT * FROM affiliates',
    'SELECT * FROM affiliates a WHERE a.id = $1',
    'SELECT * FROM affiliates a WHERE a.account_id > $1',
    'SELECT * FROM affiliates a WHERE a.account_id = $1 OR a.id = $2',
    'SELECT * FROM affiliates a WHERE NOT a.account_id = $1',
    'SELECT * FROM affiliates a WHERE a.account_id = a.account_id',
    'SELECT * FROM affiliates a WHERE a.account_id = a.id',
    'SELECT * FROM affiliates a WHERE a.account_id = 1',
    'SELECT * FROM affiliates a JOIN enrolments e ON e.affiliate_id = a.id WHERE a.account_id = $1',
    'SELECT * FROM affiliates a, enrolments e WHERE e.account_id = a.account_id',
    'SELECT * FROM affiliates a LEFT JOIN enrolments e USING (affiliate_id) WHERE a.account_id = $1',
    'SELECT * FROM affiliates a, campaigns c WHERE account_id = $1',
    'SELECT (SELECT count(*) FROM enrolments e WHERE e.affiliate_id = a.id) FROM affiliates a WHERE a.account_id = $1',
    'SELECT 1 FROM accounts WHERE EXISTS (SELECT 1 FROM campaigns c WHERE c.id = $1)',
    'SELECT * FROM (SELECT * FROM campaigns) c WHERE c.account_id = $1',
    'WITH found AS (SELECT * FROM campaigns) SELECT * FROM found WHERE account_id = $1',
    'SELECT id FROM campaigns WHERE account_id = $1 UNION SELECT id FROM referrals',
    'UPDATE affiliates SET name = $1 WHERE id = $2',
    'UPDATE affiliates a SET name = $1 FROM campaigns c WHERE a.account_id = $2 AND c.id = $3',
    'UPDATE affiliates SET name = (SELECT name FROM campaigns WHERE id = $3) WHERE account_id = $1',
    'DELETE FROM affiliates',
    'DELETE FROM affiliates a USING campaigns c WHERE c.account_id = $1',
    'INSERT INTO affiliates (email) VALUES ($1)',
    'INSERT INTO affiliates VALUES ($1, $2)',
    'INSERT INTO commission_rules (account_id) SELECT $1 FROM campaigns c WHERE c.id = $2',
    'WITH gone AS (DELETE FROM affiliates WHERE id = $1 RETURNING id) SELECT id FROM gone',
    'a.id, ARRAY(SELECT e.campaign_id FROM enrolments e WHERE e.affiliate_id = a.id)',
    'EXISTS (SELECT 1 FROM enrolments e WHERE e.account_id = e.id)',
    '/* a comment */ SELECT * FROM affiliates',
    '/* every account */ SELECT * FROM affiliates',
    'found AS (SELECT * FROM campaigns)',
    'WITH $1 SELECT * FROM campaigns',
    'WITH $1, $2, found AS (SELECT * FROM campaigns) SELECT * FROM found',
  ])('%s', async statement => {
    expect(await unboundTables(statement, tenantTables)).not.toEqual([])
  })
})

describe('the check lets pass', () => {
  it.each([
    'SELECT * FROM affiliates a WHERE a.account_id = $1',
    'SELECT * FROM affiliates WHERE id = $2 AND ($3 AND account_id = $1)',
    'SELECT * FROM affiliates a WHERE $1::bigint = a.account_id',
    'SELECT * FROM affiliates a JOIN enrolments e ON e.account_id = a.account_id WHERE a.account_id = $1',
    'SELECT (SELECT 1 FROM enrolments e WHERE e.account_id = a.account_id) FROM affiliates a WHERE a.account_id = $1',
    'WITH c AS (SELECT * FROM campaigns WHERE account_id = $1) SELECT * FROM c',
    'SELECT * FROM admit_requests($1, $2)',
    'SELECT slug FROM accounts WHERE id = $1',
    'INSERT INTO affiliates (account_id, email) VALUES ($1, $2)',
    'found AS (SELECT * FROM campaigns WHERE account_id = $1), further AS (SELECT * FROM found)',
    'WITH $1, $2 SELECT * FROM found',
    'WITH $1, found AS (SELECT * FROM campaigns WHERE account_id = $2) SELECT * FROM found',
    'ARRAY(SELECT e.id FROM enrolments e WHERE e.account_id = a.account_id)',
  ])('%s', async statement => {
    expect(await unboundTables(statement, tenantTables)).toEqual([])
  })
})

it('reads templates with whatever they hold', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source text of a template.
  const inner = "${when(x, y => sql`b = ${`}${y}`} AND '}'`)}"
  const source = `const a = sql\`SELECT ${inner} FROM t\`; other.sql\`no\`; mysql\`no\``
  expect(templatesIn(source).map(asStatement)).toEqual(['SELECT $1 FROM t', "b = $1 AND '}'"])
})
