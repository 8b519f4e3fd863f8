/** Row 1, with the whole program: kill -9 of the server at random moments while it sells, delivers and pays. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportMeasurement, seed } from '../../testing/size.ts'
import { api } from '../support/api.ts'
import { convert, openSeller, startLoad } from '../support/load.ts'
import type { Env } from '../support/program.ts'
import { createProgramme, type Programme } from '../support/programme.ts'
import { type Service, serve } from '../support/service.ts'
import { newDataDir } from '../support/temporary.ts'
import { until } from '../support/until.ts'
import { Oracle, reportAudit } from './oracle.ts'
import { PaidCampaign } from './paid-campaign.ts'

const KILLS = 20
const READY_MS = 10_000
/** From submission to completion, a payout takes about two rounds of the background work, of a second each. */
const PAYING_MS = 3_000
/** A payment that was claimed and not yet sent when the server was killed is due again after five minutes. */
const PAID_WITHIN_MS = 400_000
const SELLERS = 5

let env: Env
let service: Service
let programme: Programme
let campaign: PaidCampaign
let oracle: Oracle
let sellers: string[]

beforeAll(async () => {
  oracle = await Oracle.start()
  env = {
    ...oracle.env,
    TRIBUTARY_DATA_DIR: await newDataDir(),
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    LOG_LEVEL: 'warn',
  }
  service = await serve(env)
  programme = await createProgramme(env)
  const client = api(service.url, programme.key)
  await oracle.attach(client, env, programme.accountId)
  campaign = await PaidCampaign.open(env, programme.accountId)
  sellers = await Promise.all(Array.from({ length: SELLERS }, () => openSeller(client, campaign.id)))
}, 120_000)
afterAll(() => oracle?.close())

test(`${KILLS} times kill -9 at random moments, seed ${seed}`, async () => {
  const moments = fc.sample(fc.noBias(fc.nat(PAYING_MS)), { seed, numRuns: KILLS })
  const payouts: number[] = []
  let slowestMs = 0
  for (const moment of moments) {
    const client = api(service.url, programme.key)
    for (const token of sellers) oracle.acknowledge(...(await convert(campaign.id, token)(client)))
    const load = await startLoad(service.url, programme)
    payouts.push(await campaign.pay())
    await new Promise(resolve => setTimeout(resolve, moment))
    service.child.kill('SIGKILL')
    await service.ended
    await load.stop()
    oracle.acknowledge(...load.acknowledged())
    service = await serve(env)
    slowestMs = Math.max(slowestMs, service.readyMs)
  }
  const client = api(service.url, programme.key)
  const isPaid = async (id: number) => (await client.payouts.get(id)).status === 'paid'
  const areAllPaid = async () => (await Promise.all(payouts.map(isPaid))).every(Boolean)
  await until('every payout is paid', areAllPaid, PAID_WITHIN_MS)
  const what = `ready in ms after one of ${KILLS} times kill -9 of the server, seed ${seed}`
  reportMeasurement({ row: 1, what, value: slowestMs, bar: '< 10000', holds: slowestMs < READY_MS })
  const audit = await oracle.audit(client, env, 60_000)
  const holds = reportAudit(1, audit, `${oracle.acknowledged.length} acknowledged`)
  expect(holds, JSON.stringify(audit)).toBe(true)
  expect(audit.railMinor).toBeGreaterThan(0)
  expect(slowestMs).toBeLessThan(READY_MS)
}, 3_600_000)
