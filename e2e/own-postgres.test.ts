import { existsSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectWithin, reportMeasurement, sized } from '../testing/size.ts'
import { lostWrites } from './chaos/oracle.ts'
import { api, statusOf } from './support/api.ts'
import { outageMs, startLoad, unexpected } from './support/load.ts'
import { BIN, OwnPostgres } from './support/own-postgres.ts'
import { type Env, tributary } from './support/program.ts'
import { createProgramme, type Programme } from './support/programme.ts'
import { serve } from './support/service.ts'
import { newDataDir } from './support/temporary.ts'

const RECOVERY_MS = 5_000
const ROUNDS = sized(1, 10)

function ownPostgres() {
  let postgres: OwnPostgres
  afterAll(() => postgres?.stop())
  /** The key lives in the data directory; the database does not. */
  let base: Env
  let programme: Programme

  beforeAll(async () => {
    postgres = await OwnPostgres.create()
    base = { TRIBUTARY_DATA_DIR: await newDataDir(), TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' }
    await postgres.query('postgres', 'CREATE ROLE one LOGIN')
    await postgres.query('postgres', 'CREATE DATABASE one OWNER one')
  })

  // A test that failed while it was stopped must not fail the next ones too.
  beforeEach(() => postgres.start())

  test('from an account to an approved affiliate, with one role', async () => {
    const env = { ...base, DATABASE_URL: postgres.url('one', 'one') }
    const service = await serve(env)
    expect(service.output.stdout).toContain('account create')
    programme = await createProgramme(env)
    const { key, campaignId } = programme
    const client = api(service.url, key)
    const made = await client.affiliates.create({ email: 'a@example.com', campaign_id: campaignId })
    expect(made).toMatchObject({ email: 'a@example.com', status: 'pending' })
    const approved = await client.affiliates.update(made.id, { status: 'approved' })
    expect(approved).toEqual({ ...made, status: 'approved' })
    expect(await client.affiliates.get(made.id)).toEqual(approved)
    const doctor = await tributary(['doctor'], env)
    expect(doctor.code, doctor.stdout + doctor.stderr).toBe(0)
    expect(await service.stop()).toBe(0)
    expect(existsSync(`${base.TRIBUTARY_DATA_DIR}/postgres`)).toBe(false)
  })

  test('with two roles, where the one that serves cannot alter a table', async () => {
    await postgres.query('postgres', 'CREATE ROLE owner LOGIN')
    await postgres.query('postgres', 'CREATE ROLE "the service" LOGIN')
    await postgres.query('postgres', 'CREATE DATABASE two OWNER owner')
    const env = {
      ...base,
      TRIBUTARY_DATA_DIR: await newDataDir(),
      DATABASE_URL: postgres.url('the%20service', 'two'),
      TRIBUTARY_MIGRATION_DATABASE_URL: postgres.url('owner', 'two'),
    }
    const service = await serve(env)
    const { key, campaignId } = await createProgramme(env)
    const body = { email: 'a@example.com', campaign_id: campaignId }
    expect(await statusOf(api(service.url, key).affiliates.create(body))).toBe(201)
    const doctor = await tributary(['doctor'], env)
    expect(doctor.code, doctor.stdout + doctor.stderr).toBe(0)

    for (const forbidden of [
      'ALTER TABLE affiliates ADD COLUMN extra text',
      'DROP TABLE affiliates',
      'CREATE TABLE extra (id integer)',
      'DELETE FROM affiliates',
      'UPDATE commissions SET amount_minor = 1',
      'INSERT INTO schema_migrations VALUES (9999)',
    ])
      await expect(postgres.query('two', forbidden, 'the%20service'), forbidden).rejects.toThrow(
        /permission denied|must be owner/,
      )
    expect(await service.stop()).toBe(0)
  })

  test('stopped and started under load: 503, then serving again, and nothing lost', async () => {
    const env = { ...base, DATABASE_URL: postgres.url('one', 'one') }
    const service = await serve(env)
    const client = api(service.url, programme.key)
    let [slowestMs, lost, acknowledged] = [0, 0, 0]
    for (let round = 0; round < ROUNDS; round++) {
      const load = await startLoad(service.url, programme)
      await load.more(50, 201)
      await postgres.stop()
      await load.more(10, 503)
      await postgres.start()
      const readyAt = Date.now()
      await load.more(100, 201)
      const outcomes = await load.stop()
      expect(unexpected(outcomes)).toEqual([])
      slowestMs = Math.max(slowestMs, outageMs(outcomes, readyAt))
      lost += (await lostWrites(client, load.acknowledged())).length
      acknowledged += load.acknowledged().length
    }
    const what = `lost of ${acknowledged} acknowledged, in ${ROUNDS} stops and starts`
    reportMeasurement({ row: 3, what, value: lost, bar: '0', holds: lost === 0 })
    reportMeasurement({
      row: 3,
      what: 'last 503 in ms after PostgreSQL was back',
      value: slowestMs,
      bar: '< 5000',
      holds: slowestMs < RECOVERY_MS,
    })
    expect(lost).toBe(0)
    expectWithin(slowestMs, RECOVERY_MS)
    expect(await service.stop()).toBe(0)
  })

  const mistakes: [string, () => string, RegExp][] = [
    ['a database that does not exist', () => postgres.url('one', 'absent'), /absent.* does not exist/],
    ['a role that does not exist', () => postgres.url('absent', 'one'), /absent.* does not exist/],
  ]
  for (const [what, url, message] of mistakes)
    test(`${what} is said plainly`, async () => {
      const { code, stdout, stderr } = await tributary(['serve'], { ...base, DATABASE_URL: url() })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(message)
      expect(stderr, 'a stack trace').not.toMatch(/^\s+at .*[:(]/m)
    })

  test('a role without ownership and without a separate owner gets an error that names what it lacks', async () => {
    await postgres.query('postgres', 'CREATE DATABASE three')
    const { code, stderr } = await tributary(['migrate'], {
      ...base,
      DATABASE_URL: postgres.url('one', 'three'),
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/permission denied/)
    expect(stderr, 'a stack trace').not.toMatch(/^\s+at .*[:(]/m)
  })
}

// Chosen when the tests are defined: a machine without PostgreSQL 15 has none of them, rather than skipped ones.
if (existsSync(BIN)) describe('on an own PostgreSQL 15', ownPostgres)
else
  describe('on an own PostgreSQL 15', () => {
    test('there is none on this machine', () => expect(existsSync(BIN)).toBe(false))
  })
