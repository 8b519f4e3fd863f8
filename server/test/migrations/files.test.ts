/** Upgrades under load: a migration that could block requests or break the previous version must declare it. */
import { loadModule } from 'libpg-query'
import { beforeAll, expect, it } from 'vitest'
import { fullName, knownMigrations } from '../../src/db/migration-files.ts'
import { undeclaredRisks } from './risks.ts'

/** Up to here, migrations ran in one transaction without other processes. */
const LAST_UNCHECKED = 19

beforeAll(() => loadModule())
const known = knownMigrations()

it.each(
  known.filter(({ version }) => version > LAST_UNCHECKED).map(each => [fullName(each), each.text] as const),
)('%s', async (_name, text) => {
  expect(text, 'opens with why').toMatch(/^-- \S/)
  expect(await undeclaredRisks(text)).toEqual([])
})

it('no number is used twice', () => {
  expect(new Set(known.map(({ version }) => version)).size).toBe(known.length)
})

const refused: [string, RegExp][] = [
  ['-- tributary: no transaction\nINSERT INTO a SELECT 1', /InsertStmt in a file without a transaction/],
  ['CREATE INDEX a ON campaigns (name)', /CREATE INDEX without CONCURRENTLY on campaigns/],
  [
    'CREATE INDEX CONCURRENTLY a ON campaigns (name)',
    /CONCURRENTLY on campaigns: belongs in a separate file/,
  ],
  ['ALTER TABLE campaigns ADD CHECK (hold_days < 9)', /not NOT VALID/],
  ['ALTER TABLE campaigns ADD CONSTRAINT a FOREIGN KEY (x) REFERENCES accounts', /not NOT VALID/],
  ['ALTER TABLE campaigns ADD UNIQUE (name)', /USING INDEX/],
  ['ALTER TABLE campaigns ADD COLUMN a uuid NOT NULL DEFAULT gen_random_uuid()', /differs by row/],
  ['ALTER TABLE campaigns ADD COLUMN a bigint GENERATED ALWAYS AS IDENTITY', /rewrites the table/],
  ['ALTER TABLE campaigns ADD COLUMN a text CHECK (a <> $$x$$)', /reads the whole table/],
  ['ALTER TABLE campaigns ADD COLUMN a text UNIQUE', /USING INDEX/],
  ['ALTER TABLE campaigns ALTER COLUMN hold_days TYPE bigint', /rewrites the table/],
  ['ALTER TABLE campaigns ALTER COLUMN name SET NOT NULL', /SET NOT NULL/],
  ['ALTER TABLE campaigns DROP COLUMN name', /DROP COLUMN on campaigns: declare "-- tributary: not beside/],
  ['ALTER TABLE campaigns RENAME COLUMN name TO title', /RENAME on campaigns/],
  ['ALTER TABLE campaigns RENAME TO programmes', /RENAME on campaigns/],
  ['DROP TABLE campaigns', /DROP TABLE/],
  ['DROP INDEX enrolments_by_campaign', /DROP INDEX without CONCURRENTLY/],
  [`UPDATE campaigns SET name = 'x'`, /changing rows/],
  ['LOCK TABLE campaigns', /LOCK/],
  [
    '-- tributary: locks accounts: there are few\nUPDATE campaigns SET hold_days = 1',
    /changing rows .* on campaigns/,
  ],
  [
    '-- tributary: no transaction\nALTER TABLE campaigns ADD COLUMN a text',
    /AlterTableStmt in a file without a transaction/,
  ],
]
it.each(refused)('refuses %s', async (text, reason) => {
  expect(await undeclaredRisks(text)).toEqual([expect.stringMatching(reason)])
})

it.each([
  `ALTER TABLE campaigns ADD COLUMN a text, ADD COLUMN b timestamptz NOT NULL DEFAULT now(), ADD COLUMN c boolean NOT NULL DEFAULT false`,
  'ALTER TABLE campaigns ADD CONSTRAINT a CHECK (hold_days < 9) NOT VALID',
  'ALTER TABLE campaigns ADD CONSTRAINT a UNIQUE USING INDEX b',
  'CREATE TABLE a (id bigint PRIMARY KEY, b text CHECK (b <> $$x$$)); CREATE INDEX c ON a (b); ALTER TABLE a ADD UNIQUE (b)',
  '-- tributary: no transaction\nCREATE INDEX CONCURRENTLY a ON campaigns (name);\nALTER TABLE campaigns VALIDATE CONSTRAINT b;',
  '-- tributary: no transaction\nINSERT INTO a SELECT 1 ON CONFLICT DO NOTHING',
  '-- tributary: not beside processes older than 0027\nALTER TABLE campaigns DROP COLUMN name',
  '-- tributary: locks campaigns, accounts: a programme has a handful\nUPDATE campaigns SET hold_days = 1',
])('lets pass %s', async text => {
  expect(await undeclaredRisks(text)).toEqual([])
})
