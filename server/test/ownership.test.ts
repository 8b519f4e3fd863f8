/** Every table has one owner: no other module inserts, updates or deletes its rows. */
import { loadModule, parse } from 'libpg-query'
import { beforeAll, describe, expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'
import { asStatement, type Template, templatesIn } from './sql-templates.ts'

/** The neighbourhood that writes a table. */
const owners: Record<string, string[]> = {
  http: ['api_key_admissions', 'idempotency_keys'],
  runtime: ['installation'],
  portal: ['portal_joins'],
  insight: [
    ...['insight_accounts', 'insight_cohort_days', 'insight_cohorts', 'insight_earnings', 'insight_marks'],
    ...['insight_earning_days', 'insight_sources', 'insight_source_earnings', 'insight_total_days'],
    ...[
      'insight_totals',
      'insight_visit_days',
      'insight_visits',
      'referral_sources',
      'signal_checks',
      'signals',
    ],
  ],
  connectors: [
    ...['connectors', 'connector_events', 'connector_links', 'connector_refunds', 'connector_sales'],
    ...['connector_subscriptions', 'connector_codes', 'connector_credits', 'credit_changes'],
  ],
  earning: [
    ...[
      'clicks',
      'conversions',
      'look_backs',
      'past_assignments',
      'pending_credits',
      'referrals',
      'refunds',
      'sales',
    ],
    ...['customer_emails', 'tracked_leads', 'tracking_settings'],
  ],
  money: [
    ...['commissions', 'fx_rates', 'payout_items', 'payout_submissions', 'payouts', 'pinned_commissions'],
    ...['rail_credentials', 'refund_voids', 'test_payout_entries', 'test_payouts'],
  ],
  programme: [
    ...[
      'accounts',
      'affiliate_addresses',
      'affiliate_notes',
      'affiliates',
      'api_keys',
      'audit_log',
      'campaigns',
      'token_aliases',
    ],
    ...[
      'campaign_stops',
      'campaign_terms',
      'commission_rules',
      'creatives',
      'digest_refusals',
      'digests',
      'enrolments',
      'invitations',
      'join_answers',
      'join_forms',
      'leaderboard_names',
      'magic_links',
      'memberships',
      'password_resets',
    ],
    ...[
      'portal_sessions',
      'portal_views',
      'portals',
      'sessions',
      'setup_codes',
      'terms_acceptances',
      'users',
    ],
  ],
  webhooks: ['deliveries', 'delivery_attempts', 'events', 'webhook_endpoints'],
  mail: ['mail_servers', 'mail_templates', 'mails', 'notices'],
}
const ownerOf = (table: string) => Object.keys(owners).find(owner => owners[owner]?.includes(table))

/** Who may write what is not theirs, and why. */
const exceptions: Record<string, RegExp> = {
  // Deletes what has expired, of every neighbourhood, a bounded number at a time.
  'server/src/runtime/background/sweeps.ts': /./,
  // Moves a year of made-up business into the past, which no use case can and none should be able to.
  'server/src/tools/demo/demo.store.ts': /./,
  'server/src/tools/demo/past.store.ts': /./,
  // An approval leaves a note that earning takes up: programme is below earning and cannot call it.
  'server/src/programme/affiliates/affiliate.store.ts': /^look_backs$/,
}

interface Write {
  at: string
  file: string
  table: string
}

/** A list of interpolated WITH queries at the beginning is checked where each of them is defined: in a separate template. */
const parsed = async (template: Template) => {
  const text = asStatement(template)
  if (/^\w+ AS \(/.test(text)) return parse(`WITH ${text} SELECT 1`)
  return parse(
    text.replace(
      /^(\/\*[^*]*\*\/\s*)?WITH (RECURSIVE )?\$\d+(, \$\d+)*(,)?\s/,
      (_all, _mark, _recursive, _more, comma) => (comma ? 'WITH ' : ''),
    ),
  )
}

async function writesIn(file: string, source: string): Promise<Write[]> {
  const found: Write[] = []
  for (const template of templatesIn(source)) {
    if (
      !/\b(INSERT|UPDATE|DELETE|MERGE|TRUNCATE)\b/i.test(
        template.texts.join('').replaceAll(/\bFOR (NO KEY )?UPDATE\b/gi, ''),
      )
    )
      continue
    JSON.stringify(await parsed(template), (key, value) => {
      if (/^(Insert|Update|Delete|Merge)Stmt$/.test(key))
        found.push({ at: `${file}:${template.line}`, file, table: value.relation.relname })
      if (key === 'TruncateStmt') throw new Error(`${file}:${template.line} empties a table`)
      return value
    })
  }
  return found
}

const neighbourhoodOf = (file: string) => file.split('/')[2]
const isOwned = ({ file, table }: Write) => ownerOf(table) === neighbourhoodOf(file)
const isAllowed = (write: Write) => isOwned(write) || exceptions[write.file]?.test(write.table)

describe('every table has one writer', () => {
  let writes: Write[]
  beforeAll(async () => {
    await loadModule()
    const sources = [...sourceFiles('server/src')].filter(([file]) => !file.endsWith('.test.ts'))
    writes = (await Promise.all(sources.map(([file, source]) => writesIn(file, source)))).flat()
  })

  it('and no other module writes it', () => {
    expect(writes.length).toBeGreaterThan(60)
    expect(writes.filter(write => !isAllowed(write)).map(({ at, table }) => `${at} writes ${table}`)).toEqual(
      [],
    )
  })

  it('that does write it', () => {
    const written = new Set(writes.map(({ table }) => table))
    expect(
      Object.values(owners)
        .flat()
        .filter(table => !written.has(table)),
    ).toEqual([])
    for (const file of Object.keys(exceptions))
      expect([file, writes.some(write => write.file === file && !isOwned(write))]).toEqual([file, true])
  })
})

it.each([
  ['an insert', 'INSERT INTO commissions (id) VALUES (1)'],
  ['an update', "UPDATE commissions SET status = 'void' WHERE id = 1"],
  ['one in small letters', 'delete from commissions'],
  ['a delete', 'DELETE FROM commissions WHERE id = 1'],
  ['a write inside a WITH query for other statements', 'gone AS (DELETE FROM commissions RETURNING id)'],
  ['a write inside a WITH', 'WITH gone AS (DELETE FROM commissions RETURNING id) SELECT id FROM gone'],
  [
    'one after WITH queries of others',
    `WITH \${a}, \${b}, gone AS (DELETE FROM commissions RETURNING id) SELECT id FROM gone`,
  ],
])('%s of another neighbourhood is refused', async (_what, statement) => {
  await loadModule()
  const found = await writesIn('server/src/portal/any.store.ts', `sql\`${statement}\``)
  expect(found.map(({ table }) => table)).toEqual(['commissions'])
  expect(found.filter(isAllowed)).toEqual([])
})
