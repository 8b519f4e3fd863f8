/** Row 30: an upgrade under load alongside the previous version, during a long read of every table. No request fails. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '@tributary/contract'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { reportMeasurement } from '../../testing/size.ts'
import { api } from '../support/api.ts'
import { type Load, startLoad } from '../support/load.ts'
import { isInHistory, oldVersion } from '../support/old-version.ts'
import { BIN, OwnPostgres } from '../support/own-postgres.ts'
import { type Env, startTributary } from '../support/program.ts'
import { createProgramme, type Programme } from '../support/programme.ts'
import { startReceiver } from '../support/recording-receiver.ts'
import { type Service, serve, untilServing } from '../support/service.ts'
import { newDataDir } from '../support/temporary.ts'
import { until } from '../support/until.ts'
import { doctorFinds, lostWrites } from './oracle.ts'

/** The latest commit of the previous version, and the last one without the lease column (0019). */
const BEFORE = '3c923ba'
const BEFORE_LEASES = '7cb016f~1'
const READS_MS = 40_000
const MOST_WAIT_MS = 5_000
const PAUSE_MS = 20

function upgrade() {
  let postgres: OwnPostgres
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  const counts = new Map<number, number>()
  const delivered = new Set<string>()
  afterEach(async () => {
    await receiver?.close()
    await postgres?.stop()
  })

  /** The old version on a separate database, with an endpoint that counts every delivery. */
  async function startOld(
    commit: string,
  ): Promise<{ old: Service; env: Env; programme: Programme; root: string }> {
    counts.clear()
    delivered.clear()
    receiver = await startReceiver(({ body }) => {
      const { id, type, data } = JSON.parse(body) as Event
      counts.set(id, (counts.get(id) ?? 0) + 1)
      delivered.add(`${type} ${data.id}`)
    })
    postgres = await OwnPostgres.create()
    for (const statement of [
      'CREATE ROLE owner LOGIN',
      'CREATE ROLE service LOGIN',
      'CREATE DATABASE one OWNER owner',
    ])
      await postgres.query('postgres', statement)
    const env = {
      DATABASE_URL: postgres.url('service', 'one'),
      TRIBUTARY_MIGRATION_DATABASE_URL: postgres.url('owner', 'one'),
      TRIBUTARY_DATA_DIR: await newDataDir(),
      TRIBUTARY_SECRET_KEY: 'a secret key of at least 32 characters',
      TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
      LOG_LEVEL: 'warn',
    }
    const root = await oldVersion(commit)
    const old = await serve(env, { root })
    const programme = await createProgramme(env, { root })
    const events = ['promoter.approved', 'commission.created', 'conversion.created'] as const
    await api(old.url, programme.key).webhookEndpoints.create({ url: receiver.url, events: [...events] })
    return { old, env, programme, root }
  }

  /** Reads every table in a long transaction, as a dump or a report does. */
  async function readEverything(): Promise<() => Promise<void>> {
    const client = new pg.Client(postgres.url('postgres', 'one'))
    await client.connect()
    const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
    await client.query(`BEGIN; ${rows.map(({ tablename }) => `SELECT FROM ${tablename} LIMIT 1`).join(';')}`)
    return () => client.end()
  }

  /** After the load: nothing is missing, nothing was delivered twice, and no request waited for long. */
  async function judge(
    what: string,
    loads: Load[],
    url: string,
    { key }: Programme,
    env: Env,
  ): Promise<void> {
    const outcomes = loads.flatMap(({ outcomes: all }) => all)
    const acknowledged = loads.flatMap(load => load.acknowledged())
    const missing = () =>
      acknowledged.filter(({ event, id }) => event !== undefined && !delivered.has(`${event} ${id}`)).length
    await until('every event has come', () => missing() === 0).catch(() => undefined)
    const lost = (await lostWrites(api(url, key), acknowledged)).length
    const twice = [...counts.values()].filter(count => count > 1).length
    const slowest = Math.max(...outcomes.map(({ sentAt, answeredAt }) => answeredAt - sentAt))
    const refused = outcomes.filter(({ status }) => status !== 201)
    const doctor = await doctorFinds(env)
    const zero = (name: string, value: number) => ({
      what: `${what}: ${name}`,
      value,
      bar: '0',
      holds: value === 0,
    })
    const figures = [
      zero(`lost of ${acknowledged.length} acknowledged`, lost),
      zero('events not delivered', missing()),
      zero(`of ${counts.size} events delivered twice`, twice),
      zero(`of ${outcomes.length} requests refused`, refused.length),
      {
        what: `${what}: slowest request in ms`,
        value: slowest,
        bar: `≤ ${MOST_WAIT_MS}`,
        holds: slowest <= MOST_WAIT_MS,
      },
      { what: `${what}: doctor finds`, value: doctor || 'nothing', bar: 'nothing', holds: doctor === '' },
    ]
    for (const figure of figures) reportMeasurement({ row: 30, ...figure })
    expect(figures.filter(({ holds }) => !holds)).toEqual([])
  }

  test('beside the version before, with a reader of 40 s', async () => {
    const { old, env, programme } = await startOld(BEFORE)
    const onOld = await startLoad(old.url, programme, PAUSE_MS)
    await onOld.more(100, 201)
    const stopReading = await readEverything()
    const begun = performance.now()
    const program = startTributary(['serve'], { ...env, PORT: '0' })
    await sleep(READS_MS)
    await stopReading()
    await until('the new version listens', () => {
      if (program.child.exitCode !== null) throw new Error(program.output.stderr + program.output.stdout)
      return program.output.stdout.includes('is listening on')
    })
    const now = await untilServing(program)
    reportMeasurement({
      row: 30,
      what: `beside ${BEFORE}: the new version listens after s`,
      value: Math.round((performance.now() - begun) / 1000),
      bar: 'soon after the reader',
      holds: true,
    })
    // Both serve and deliver concurrently for a while, then the old one stops.
    const onNew = await startLoad(now.url, programme, PAUSE_MS)
    await onNew.more(200, 201)
    await onOld.stop()
    expect(await old.stop()).toBe(0)
    await onNew.more(100, 201)
    await onNew.stop()
    await judge(`beside ${BEFORE}`, [onOld, onNew], now.url, programme, env)
    expect(await now.stop()).toBe(0)
  }, 600_000)

  test('beside one that does not read the lease: refused while it is connected, then upgraded', async () => {
    const { old, env, programme } = await startOld(BEFORE_LEASES)
    const load = await startLoad(old.url, programme, PAUSE_MS)
    await load.more(100, 201)
    const program = startTributary(['serve'], { ...env, PORT: '0' })
    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toMatch(/0019_leases must not run alongside processes of an older version/)
    reportMeasurement({
      row: 30,
      what: 'beside a version without leases: the start',
      value: 'refuses',
      bar: 'refuses',
      holds: true,
    })
    await load.more(100, 201)
    await load.stop()
    expect(await old.stop()).toBe(0)
    const now = await serve(env)
    const onNew = await startLoad(now.url, programme, PAUSE_MS)
    await onNew.more(100, 201)
    await onNew.stop()
    await judge('after a version without leases', [load, onNew], now.url, programme, env)
    expect(await now.stop()).toBe(0)
  }, 600_000)
}

const canRun = existsSync(BIN) && isInHistory(BEFORE) && isInHistory(BEFORE_LEASES)
if (canRun) describe('an upgrade under load', upgrade)
else
  describe('an upgrade under load', () => {
    test('needs PostgreSQL 15 and the history of this repository, which a shallow clone lacks', () => {
      reportMeasurement({
        row: 30,
        what: 'not run',
        value: 'no history or no PostgreSQL 15',
        bar: 'run',
        holds: false,
      })
      expect(canRun).toBe(false)
    })
  })
