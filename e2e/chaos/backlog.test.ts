/** Row 19: an hour's events are queued for a receiver that has just recovered. They drain, and new events do not wait for them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tributary } from '@tributary/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportMeasurement, seed } from '../../testing/size.ts'
import { api } from '../support/api.ts'
import { withOwner } from '../support/embedded-sql.ts'
import type { Env } from '../support/program.ts'
import { createProgramme, type Programme } from '../support/programme.ts'
import { serve } from '../support/service.ts'
import { newDataDir } from '../support/temporary.ts'
import { until } from '../support/until.ts'
import { Oracle, reportAudit } from './oracle.ts'
import { percentile } from './samples.ts'

const EVENTS = Number(process.env.BACKLOG_EVENTS ?? 100_000)
const DRAIN_MS = 15 * 60_000
/** New events get a share of their endpoint's slots, however long the queue is. */
const NEW_EVENT_MS = 5_000
/** Far beyond the ids of real rows in this test. */
const FIRST_SUBJECT = 1_000_000_000

let dataDir: string
let env: Env
let programme: Programme
let client: Tributary
let oracle: Oracle

beforeAll(async () => {
  dataDir = await newDataDir()
  oracle = await Oracle.start()
  env = {
    ...oracle.env,
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    LOG_LEVEL: 'warn',
  }
  const service = await serve(env)
  programme = await createProgramme(env)
  client = api(service.url, programme.key)
  await oracle.attach(client, env, programme.accountId)
})
afterAll(() => oracle?.close())

/** The queue after the receiver hung for an hour: hardly any were attempted, and all have been due since they occurred. */
const LOAD = `
  WITH past AS (
    SELECT nextval('events_id_seq') AS id, $3::bigint + n AS subject_id,
           date_trunc('milliseconds', now()) - random() * interval '1 hour' AS at
      FROM generate_series(1, $2::integer) n
  ), event AS (
    INSERT INTO events (account_id, id, kind, subject_id, body, created_at)
    SELECT $1, id, 'promoter.approved', subject_id,
           event_body(id, 'promoter.approved', at, jsonb_set($4::jsonb, '{id}', to_jsonb(subject_id))::text), at
      FROM past
    RETURNING id, created_at
  ), failing AS (
    UPDATE webhook_endpoints SET failing_since = now() - interval '1 hour' WHERE account_id = $1 RETURNING id
  )
  INSERT INTO deliveries (account_id, event_id, endpoint_id, attempts, due_at, created_at)
  SELECT $1, event.id, failing.id, floor(random() * 3), event.created_at, event.created_at FROM event, failing`

let counter = 0

/** Approves an affiliate, and returns how long after the response its event was received. */
async function approveAndWait(): Promise<number> {
  const email = `new-${++counter}@example.com`
  const { id } = await client.affiliates.create({ email, campaign_id: programme.campaignId })
  await client.affiliates.update(id, { status: 'approved' })
  oracle.acknowledge({ kind: 'affiliates', id, event: 'promoter.approved' })
  const answeredAt = performance.now()
  await until('the new event has come', () => oracle.delivered.has(`promoter.approved ${id}`), DRAIN_MS)
  return performance.now() - answeredAt
}

test(`${EVENTS} events drain, and new ones come within ${NEW_EVENT_MS / 1000} s meanwhile`, async () => {
  const sample = await client.affiliates.create({
    email: 'sample@example.com',
    campaign_id: programme.campaignId,
  })
  await withOwner(dataDir, async owner => {
    await owner.query('SELECT setseed($1)', [(seed % 1000) / 1000])
    await owner.query(LOAD, [programme.accountId, EVENTS, FIRST_SUBJECT, JSON.stringify(sample)])
    await owner.query('ANALYZE events, deliveries')
  })
  const startedAt = performance.now()
  const missing = () => {
    let count = 0
    for (let n = 1; n <= EVENTS; n++)
      if (!oracle.delivered.has(`promoter.approved ${FIRST_SUBJECT + n}`)) count++
    return count
  }
  let drainedMs: number | undefined
  const drained = (async () => {
    while (oracle.delivered.size < EVENTS && performance.now() - startedAt < DRAIN_MS) await sleep(100)
    while (missing() > 0 && performance.now() - startedAt < DRAIN_MS) await sleep(250)
    drainedMs = performance.now() - startedAt
  })()
  const latencies: number[] = []
  const waiting: Promise<void>[] = []
  while (drainedMs === undefined) {
    waiting.push(approveAndWait().then(ms => void latencies.push(ms)))
    await sleep(250)
  }
  await drained
  await Promise.all(waiting)

  const seconds = (drainedMs as number) / 1000
  const lost = missing()
  const slowest = Math.round(percentile(latencies, 0.99))
  reportMeasurement({
    row: 19,
    what: `never delivered of ${EVENTS}`,
    value: lost,
    bar: '0',
    holds: lost === 0,
  })
  reportMeasurement({
    row: 19,
    what: 'drained in s',
    value: Math.round(seconds),
    bar: 'it ends',
    holds: lost === 0,
  })
  reportMeasurement({
    row: 19,
    what: `p99 in ms of ${latencies.length} new events meanwhile`,
    value: slowest,
    bar: `< ${NEW_EVENT_MS}`,
    holds: slowest < NEW_EVENT_MS,
  })
  const audit = await oracle.audit(client, env, 30_000)
  expect(reportAudit(19, audit, `${latencies.length} new ones`), JSON.stringify(audit)).toBe(true)
  expect(lost).toBe(0)
  expect(slowest).toBeLessThan(NEW_EVENT_MS)
}, 3_600_000)
