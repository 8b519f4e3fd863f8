import { beforeAll, describe, expect, test } from 'vitest'
import { asOwner, withOwner } from './support/embedded-sql.ts'
import { pidFile } from './support/postgres-process.ts'
import { type Env, must, shell, tributary } from './support/program.ts'
import { serve, startWorker } from './support/service.ts'
import { emptyDataDir } from './support/shared.ts'
import { newDataDir } from './support/temporary.ts'
import { until } from './support/until.ts'

let dataDir: string
let env: Env

beforeAll(async () => {
  dataDir = await newDataDir()
  env = { TRIBUTARY_DATA_DIR: dataDir }
})

describe('migrate', () => {
  test('doctor names what is missing before the first migration', async () => {
    const { code, stdout, stderr } = await tributary(['doctor'], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'FAIL   migrations\n' })
    expect(stderr).toMatch(/migration 1 .*is not applied; run tributary migrate/)
  })

  test('prints what it applied, once, and exits', async () => {
    const first = await must(['migrate'], env)
    expect(first).toMatch(/^applied 0001_accounts\n(applied \d{4}_\w+\n)+$/)
    expect(await must(['migrate'], env)).toBe('The database is up to date.\n')
    expect(pidFile(dataDir)).toBeUndefined()
  })
})

test('neither migrate nor doctor decides on the secret key: the first command that may use one does', async () => {
  const there = { TRIBUTARY_DATA_DIR: await emptyDataDir() }
  const [one, other] = ['1', '2'].map(digit => ({ ...there, TRIBUTARY_SECRET_KEY: digit.repeat(32) }))
  for (const env of [one, other] as Env[]) {
    expect(await must(['migrate'], env)).toBe('The database is up to date.\n')
    expect(await must(['doctor'], env)).toMatch(/^ok {5}secret key$/m)
  }
  // There is no such account, which it finds out later.
  await tributary(['key', 'list', '--account', '1'], one as Env)
  for (const name of ['migrate', 'doctor']) {
    await must([name], one as Env)
    const { code, stderr } = await tributary([name], other as Env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('TRIBUTARY_SECRET_KEY') })
  }
})

describe('worker', () => {
  test('runs until SIGTERM and takes PostgreSQL with it', async () => {
    const worker = startWorker(env)
    await until('worker started', () => worker.output.stdout.includes('worker started'))
    expect(pidFile(dataDir)).toBeDefined()
    expect(await worker.stop()).toBe(0)
    expect(pidFile(dataDir)).toBeUndefined()
  })
})

describe('a healthy database', () => {
  test('doctor prints one line per check, with and without a running server', async () => {
    const alone = await tributary(['doctor'], env)
    expect({ code: alone.code, stderr: alone.stderr }).toEqual({ code: 0, stderr: '' })
    expect(alone.stdout).toMatch(/^(ok {5}[a-z][\w ]*\n){5,}$/)
    await serve(env)
    expect(await must(['doctor'], env)).toBe(alone.stdout)
  })
})

test('a reader that exits early does not make a command fail', async () => {
  const line = `node server/bin/tributary.js doctor | head -1; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = await shell(`bash -c '${line}'`, env)
  expect({ stdout, stderr }).toEqual({ stdout: 'ok     migrations\n0\n', stderr: '' })
})

/** Damage that only the owner of the tables can do, what doctor must report, and how to undo it. */
const damages: [string, string[], RegExp, string[]][] = [
  [
    'a payout is the sum of its items',
    [
      `INSERT INTO accounts (name, slug) VALUES ('Damaged', 'damaged')`,
      `INSERT INTO campaigns (account_id, name, slug, program_type, visibility, payout_currency, attribution_model,
         attribution_window_days, hold_days, minimum_payout_minor, open_enrollment)
       SELECT id, 'C', 'c', 'affiliate', 'private', 'USD', 'last_click', 60, 30, 0, false FROM accounts`,
      `INSERT INTO payouts (account_id, campaign_id, rail, status, currency, total_minor)
       SELECT account_id, id, 'manual', 'pending', 'USD', 6001 FROM campaigns`,
    ],
    /payout 1 of account 1 is 6001, but its items sum to 0/,
    ['DELETE FROM payouts'],
  ],
  [
    'constraints and indexes',
    [
      `ALTER TABLE accounts ADD CONSTRAINT long_names CHECK (length(name) > 1) NOT VALID`,
      // As on a table whose older partitions are left without it: no problem.
      'CREATE INDEX of_new_parts ON ONLY clicks (country)',
    ],
    /^(?![\s\S]*of_new_parts)[\s\S]*constraint long_names on accounts is not validated/,
    ['ALTER TABLE accounts DROP CONSTRAINT long_names', 'DROP INDEX of_new_parts'],
  ],
  [
    'migrations',
    [`INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'future', 'f')`],
    /newer than this version of Tributary.*9999/,
    ['DELETE FROM schema_migrations WHERE version = 9999'],
  ],
]

describe('a damaged database', () => {
  for (const [check, damage, message, repair] of damages)
    test(`doctor names what is wrong: ${check}`, async () => {
      await asOwner(dataDir, ...damage)
      const { code, stdout, stderr } = await tributary(['doctor'], env)
      expect(code).toBe(1)
      expect(stdout).toContain(`FAIL   ${check}\n`)
      expect(stdout.match(/^FAIL/gm)).toHaveLength(1)
      expect(stderr).toMatch(message)
      await asOwner(dataDir, ...repair)
      expect((await tributary(['doctor'], env)).code).toBe(0)
    })
})

describe('a commission that has parted from its clawback', () => {
  test('doctor names it; doctor --repair corrects it by an adjustment, once, and prints what it did', async () => {
    const entry = `account_id, campaign_id, affiliate_id, beneficiary, currency, payout_currency, entry_type, status, amount_minor,
      payout_amount_minor`
    await asOwner(
      dataDir,
      `INSERT INTO affiliates (account_id, email, email_key, status, kind, token)
       SELECT id, 'a@example.com', 'a@example.com', 'approved', 'affiliate', 'token' FROM accounts`,
      `INSERT INTO commissions (${entry})
       SELECT g.account_id, g.id, a.id, 'affiliate', 'USD', 'USD', 'earned', 'void', 2000, 2000 FROM campaigns g, affiliates a`,
      `INSERT INTO commissions (${entry}, clawback_of)
       SELECT account_id, campaign_id, affiliate_id, 'affiliate', 'USD', 'USD', 'clawback', 'approved', -1000, -1000, id
         FROM commissions`,
      `INSERT INTO events (account_id, kind, subject_id, body, created_at)
       SELECT account_id, 'commission.created', id, '{}', now() FROM commissions`,
    )
    const broken = await tributary(['doctor'], env)
    expect([broken.code, broken.stdout.match(/^FAIL.*$/gm)]).toEqual([
      1,
      ['FAIL   a void entry has no active clawbacks'],
    ])
    const repaired = await tributary(['doctor', '--repair'], env)
    expect({ code: repaired.code, stderr: repaired.stderr }).toEqual({ code: 0, stderr: '' })
    expect(repaired.stdout).toMatch(
      /^commission 1 of account 1: wrote adjustment 3 of 10\.00 USD\nRepaired 1 of 1 entries\.\n(ok {5}.*\n)+$/,
    )
    expect(await must(['doctor', '--repair'], env)).toMatch(/^Nothing to repair\.\n(ok {5}.*\n)+$/)
    const audited = await withOwner(dataDir, client =>
      client.query('SELECT actor_kind, action, subject_id::integer FROM audit_log'),
    )
    expect(audited.rows).toEqual([{ actor_kind: 'command', action: 'commission.repair', subject_id: 1 }])
  })
})

describe('a database newer than the program', () => {
  test('is refused by every command, and left as it is', async () => {
    await asOwner(
      dataDir,
      `INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'future', 'f')`,
    )
    const commands = [['serve'], ['worker'], ['migrate'], ['key', 'list', '--account', '1']]
    const quiet = { ...env, PORT: '0', LOG_LEVEL: 'silent' }
    for (const { code, stdout, stderr } of await Promise.all(commands.map(args => tributary(args, quiet)))) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/newer than this version of Tributary.*9999/)
      expect(stderr).not.toMatch(/^\s+at /m)
    }
    await asOwner(dataDir, 'DELETE FROM schema_migrations WHERE version = 9999')
    expect(await must(['migrate'], env)).toBe('The database is up to date.\n')
  })
})
