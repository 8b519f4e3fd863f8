/** Protects against the loss of a machine: what was acknowledged before a backup began is in it, and the money adds up where it is restored. */

import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Commission } from '@tributary/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { reportMeasurement } from '../testing/size.ts'
import { api } from './support/api.ts'
import { BIN, OwnPostgres } from './support/own-postgres.ts'
import { type Env, must, shell, startTributary, tributary } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { emptyDataDir, preparedDataDir } from './support/shared.ts'
import { newDataDir, temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

/** The key is stored separately from the backup, and copied to the new data directory manually. */
function bringKey(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  copyFileSync(join(from, 'secret.key'), join(to, 'secret.key'))
}

/** What a backup holds of the tables, without when it was made. */
const rowsIn = async (file: string) =>
  gunzipSync(await readFile(file))
    .toString('utf8')
    .split('\n')
    .slice(1, -2)
    .join('\n')

const report = (url: string, key: string, path: string, body: object) =>
  fetch(`${url}/ingest/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('a backup under load', () => {
  let folder: string
  let [here, there] = ['', '']
  let service: Service
  let programme: Programme
  let token: string
  const backup = () => join(folder, 'one.backup')
  /** The sales that were acknowledged, by the time of the answer. */
  const acknowledged: { id: string; at: number }[] = []

  beforeAll(async () => {
    folder = await temporaryDirectory()
    ;({ dataDir: here, programme } = await preparedDataDir())
    there = await newDataDir()
    const env = { TRIBUTARY_DATA_DIR: here, TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' }
    service = await serve(env)
    const { affiliates } = api(service.url, programme.key)
    const jane = await affiliates.create({ email: 'jane@example.com', campaign_id: programme.campaignId })
    await affiliates.update(jane.id, { status: 'approved' })
    token = jane.token
  })

  async function sell(worker: number, n: number): Promise<void> {
    const { key, campaignId } = programme
    const id = `${worker}-${n}`
    const sale = { external_id: id, amount_minor: 1000 + n, currency: 'USD' }
    const body = { campaign_id: campaignId, customer_ref: `customer-${id}`, token, sale }
    const { status } = await report(service.url, key, 'conversions', body)
    if (status !== 201) throw new Error(`A conversion was answered ${status}.`)
    acknowledged.push({ id, at: Date.now() })
  }

  test('is made while sales come in', async () => {
    let isOver = false
    const work = async (worker: number) => {
      for (let n = 0; !isOver; n++) await sell(worker, n)
    }
    const working = Promise.all([1, 2, 3, 4].map(work))
    await until('a hundred sales', () => acknowledged.length > 100)
    const beganAt = Date.now()
    const said = await must(['backup', backup()], { TRIBUTARY_DATA_DIR: here })
    const endedAt = Date.now()
    isOver = true
    await working
    expect(said).toMatch(
      /^Backed up \d+ rows in \d+ tables to .*one\.backup \(\d+\.\d MB\)\.\n.*secret key.*secret\.key\n$/,
    )
    expect(statSync(backup()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['one.backup'])
    // The load went on while the backup was made, or this would show little.
    expect(acknowledged.filter(({ at }) => at > beganAt && at < endedAt).length).toBeGreaterThan(5)
    acknowledged.splice(0, acknowledged.length, ...acknowledged.filter(({ at }) => at <= beganAt))
  })

  test('is refused with another key, which is not in it', async () => {
    const { code, stdout, stderr } = await tributary(['restore', backup()], { TRIBUTARY_DATA_DIR: there })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^The secret key does not match .* copy secret\.key from the original data directory/,
    )
    const key = (await readFile(join(here, 'secret.key'), 'utf8')).trim()
    expect(gunzipSync(await readFile(backup())).toString('utf8')).not.toContain(key)
  })

  test('is restored elsewhere, and doctor finds nothing', async () => {
    bringKey(here, there)
    const { code, stdout, stderr } = await tributary(['restore', backup()], { TRIBUTARY_DATA_DIR: there })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Restored \d+ rows in \d+ tables, as of \d{4}-.*Z\.\n(ok {5}[a-z][\w ]*\n){5,}$/)
    expect(await must(['doctor'], { TRIBUTARY_DATA_DIR: there })).toBe(stdout.split('\n').slice(1).join('\n'))
  })

  test('holds every sale that was acknowledged before it began, and every commission of it', async () => {
    const restored = await serve({ TRIBUTARY_DATA_DIR: there, TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' })
    const all = async (url: string) => {
      const found: Commission[] = []
      for await (const each of api(url, programme.key).commissions.list({ limit: 100 })) found.push(each)
      return found
    }
    const commissions = await all(restored.url)
    const original = new Map((await all(service.url)).map(each => [each.id, each]))
    expect(commissions.length).toBeGreaterThanOrEqual(acknowledged.length)
    expect(commissions.length).toBeLessThan(original.size)
    for (const each of commissions) expect(each).toEqual(original.get(each.id))
    const held = new Set(commissions.map(({ description }) => description))
    const missing = acknowledged.filter(({ id }) => !held.has(`Sale ${id}`))
    const what = `missing of ${acknowledged.length} sales acknowledged before the backup`
    reportMeasurement({ row: 20, what, value: missing.length, bar: '0', holds: missing.length === 0 })
    expect(missing).toEqual([])
    // A sale that is there is known by its name: reported once more, it is the same one.
    const { key, campaignId } = programme
    for (const { id } of acknowledged.slice(-20)) {
      const sale = { external_id: id, amount_minor: 1000 + Number(id.split('-')[1]), currency: 'USD' }
      const body = { campaign_id: campaignId, customer_ref: `customer-${id}`, token, sale }
      expect([200, 201]).toContain((await report(restored.url, key, 'conversions', body)).status)
    }
    expect((await all(restored.url)).length).toBe(commissions.length)

    const balance = ['balance', '--account', '1', '--affiliate', '1', '--json']
    const [{ balance_minor: now }] = JSON.parse(await must(balance, { TRIBUTARY_DATA_DIR: there }))
    expect(now).toBe(commissions.reduce((sum, { amount_minor }) => sum + amount_minor, 0))
    await restored.stop()
  })

  test('goes nowhere but into an empty database', async () => {
    const { code, stderr } = await tributary(['restore', backup()], { TRIBUTARY_DATA_DIR: there })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^This database already has accounts\./),
    })
  })

  test('does not take the place of another one by accident', async () => {
    const before = await readFile(backup())
    const { code, stderr } = await tributary(['backup', backup()], { TRIBUTARY_DATA_DIR: here })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/already exists\..*--force/),
    })
    expect(await readFile(backup())).toEqual(before)
    await must(['backup', backup(), '--force'], { TRIBUTARY_DATA_DIR: here })
    expect((await readFile(backup())).length).toBeGreaterThan(before.length)
  })

  test.each([
    ['a folder that is not there', '/nowhere/one.backup', /^Can't write the backup: ENOENT/],
    ['a reader that goes away', '-', /^Can't write the backup: .*EPIPE/],
  ])('fails in a sentence: %s', async (_, file, message) => {
    const line = `node server/bin/tributary.js backup ${file} | true; test \${PIPESTATUS[0]} = 1`
    const { code, stderr } = await shell(`exec bash -c '${line}'`, { TRIBUTARY_DATA_DIR: here })
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(code).toBe(0)
  })

  test.each([
    ['/nowhere/one.backup', /^Can't read the backup: ENOENT/],
    ['/tmp', /^Can't read the backup: EISDIR/],
    ['package.json', /^This is not a Tributary backup\./],
  ])('restore says what is wrong with %s', async (file, message) => {
    const { code, stdout, stderr } = await tributary(['restore', file], { TRIBUTARY_DATA_DIR: there })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('that is interrupted leaves no file', async () => {
    const program = startTributary(['backup', join(folder, 'two.backup')], { TRIBUTARY_DATA_DIR: here })
    await until(
      'it writes',
      () => readdirSync(folder).some(name => name.endsWith('.partial')) || program.child.exitCode !== null,
    )
    program.child.kill('SIGINT')
    const code = await program.ended
    const files = readdirSync(folder)
    // It may have been quicker than the signal; either way there is no half.
    expect({ code, files }).toEqual(
      code === 0 ? { code, files: ['one.backup', 'two.backup'] } : { code: 1, files: ['one.backup'] },
    )
  })
})

function throughOwnPostgres() {
  test('moves a programme from the embedded database to an own one and back, through pipes', async () => {
    const postgres = await OwnPostgres.create()
    try {
      await postgres.query('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE service LOGIN')
      await postgres.query('postgres', 'CREATE DATABASE own OWNER owner')
      const folder = await temporaryDirectory()
      const [first, last] = [await emptyDataDir(), await emptyDataDir()]
      await must(['demo', '--scale', '0.05'], { TRIBUTARY_DATA_DIR: first })
      const own: Env = {
        TRIBUTARY_DATA_DIR: await newDataDir(),
        DATABASE_URL: postgres.url('service', 'own'),
        TRIBUTARY_MIGRATION_DATABASE_URL: postgres.url('owner', 'own'),
      }
      bringKey(first, own.TRIBUTARY_DATA_DIR as string)
      bringKey(first, last)
      const program = 'node server/bin/tributary.js'
      const move = async (from: Env, to: Env, file: string) => {
        const environment = Object.entries({ DATABASE_URL: '', TRIBUTARY_MIGRATION_DATABASE_URL: '', ...to })
        const env = environment.map(([name, value]) => `${name}='${value}'`).join(' ')
        const path = join(folder, file)
        const { code, stdout, stderr } = await shell(
          `${program} backup - | tee ${path} | env ${env} ${program} restore -`,
          from,
        )
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        expect(stdout).not.toContain('FAIL')
        return rowsIn(path)
      }
      const one = await move({ TRIBUTARY_DATA_DIR: first }, own, '18.backup')
      const two = await move(own, { TRIBUTARY_DATA_DIR: last }, '15.backup')
      expect(one.split('\n').length).toBeGreaterThan(2_000)
      expect(two).toBe(one)
    } finally {
      await postgres.stop()
    }
  })
}

if (existsSync(BIN)) describe('from PostgreSQL 18 to 15', throughOwnPostgres)
else
  describe('without PostgreSQL 15', () => {
    test('there is none on this machine', () => expect(existsSync(BIN)).toBe(false))
  })
