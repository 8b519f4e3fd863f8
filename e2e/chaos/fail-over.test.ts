/** Row 31: a standby takes over under load, when its primary crashes, is cut off without a word, or hands over. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Network } from '../../testing/network.ts'
import { reportMeasurement } from '../../testing/size.ts'
import { outageMs, startLoad, unexpected } from '../support/load.ts'
import { OwnPostgres } from '../support/own-postgres.ts'
import { reportAudit } from './oracle.ts'
import { PaidService } from './paid-service.ts'

const WRITES_WITHIN_MS = 5_000
/** Until a cluster has noticed and elected another primary. */
const ELECTION_MS = 10_000

/** The newest is the primary. */
const clusters: OwnPostgres[] = []
let network: Network
let paid: PaidService

beforeAll(async () => {
  const primary = await OwnPostgres.create()
  clusters.push(primary)
  await primary.query('postgres', 'CREATE ROLE one LOGIN')
  await primary.query('postgres', 'CREATE DATABASE one OWNER one')
  network = await Network.to({ host: '127.0.0.1', port: primary.port })
  paid = await PaidService.start({ DATABASE_URL: `postgres://one@127.0.0.1:${network.port}/one` })
}, 120_000)
afterAll(async () => {
  await paid?.oracle.close()
  await paid?.service.stop()
  await network?.close()
  for (const cluster of clusters) await cluster.crash()
})

type Fault = (primary: OwnPostgres) => Promise<void>
const faults: Record<string, Fault> = {
  'a crash': primary => primary.crash(),
  'a network that is cut without a word': async () => network.cut(),
  'a switchover': primary => primary.stop(),
}

test('a standby takes over under load', async () => {
  const { oracle } = paid
  for (const [name, fault] of Object.entries(faults)) {
    const primary = clusters.at(-1) as OwnPostgres
    const standby = await primary.standby()
    clusters.push(standby)
    await paid.sell()
    const load = await startLoad(paid.service.url, paid.programme)
    await load.more(50, 201)
    await paid.pay()
    await fault(primary)
    await sleep(ELECTION_MS)
    await standby.promote()
    network.leadTo({ host: '127.0.0.1', port: standby.port })
    const electedAt = Date.now()
    await load.more(100, 201)
    const outcomes = await load.stop()
    oracle.acknowledge(...load.acknowledged())
    expect(unexpected(outcomes), name).toEqual([])
    const tookMs = outageMs(outcomes, electedAt)
    const holds = tookMs < WRITES_WITHIN_MS
    const what = `${name}: last 503 in ms after the election`
    reportMeasurement({ row: 31, what, value: tookMs, bar: '< 5000', holds })
    expect(tookMs, name).toBeLessThan(WRITES_WITHIN_MS)
  }
  await paid.untilPaid()
  const audit = await paid.audit()
  const holds = reportAudit(31, audit, `${oracle.acknowledged.length} acknowledged`)
  expect(holds, JSON.stringify(audit)).toBe(true)
  expect(audit.railMinor).toBeGreaterThan(0)
}, 3_600_000)
