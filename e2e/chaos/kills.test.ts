/** Row 1, with the whole program: kill -9 of the server at random moments while it sells, delivers and pays. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportMeasurement, seed } from '../../testing/size.ts'
import { startLoad } from '../support/load.ts'
import { serve } from '../support/service.ts'
import { reportAudit } from './oracle.ts'
import { PaidService } from './paid-service.ts'

const KILLS = 20
const READY_MS = 10_000
/** From submission to completion, a payout takes about two rounds of the background work, of a second each. */
const PAYING_MS = 3_000

let paid: PaidService

beforeAll(async () => {
  paid = await PaidService.start()
}, 120_000)
afterAll(() => paid?.oracle.close())

test(`${KILLS} times kill -9 at random moments, seed ${seed}`, async () => {
  const { oracle } = paid
  const moments = fc.sample(fc.noBias(fc.nat(PAYING_MS)), { seed, numRuns: KILLS })
  let slowestMs = 0
  for (const moment of moments) {
    await paid.sell()
    const load = await startLoad(paid.service.url, paid.programme)
    await paid.pay()
    await new Promise(resolve => setTimeout(resolve, moment))
    paid.service.child.kill('SIGKILL')
    await paid.service.ended
    await load.stop()
    oracle.acknowledge(...load.acknowledged())
    paid.service = await serve(paid.env)
    slowestMs = Math.max(slowestMs, paid.service.readyMs)
  }
  await paid.untilPaid()
  const what = `ready in ms after one of ${KILLS} times kill -9 of the server, seed ${seed}`
  reportMeasurement({ row: 1, what, value: slowestMs, bar: '< 10000', holds: slowestMs < READY_MS })
  const audit = await paid.audit()
  const holds = reportAudit(1, audit, `${oracle.acknowledged.length} acknowledged`)
  expect(holds, JSON.stringify(audit)).toBe(true)
  expect(audit.railMinor).toBeGreaterThan(0)
  expect(slowestMs).toBeLessThan(READY_MS)
}, 3_600_000)
