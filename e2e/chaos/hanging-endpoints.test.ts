/** Row 28: hundreds of endpoints of one account hang. Another account's events are not delayed. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { reportMeasurement } from '../../testing/size.ts'
import { api } from '../support/api.ts'
import type { Env } from '../support/program.ts'
import { createProgramme } from '../support/programme.ts'
import { startReceiver } from '../support/recording-receiver.ts'
import { serve } from '../support/service.ts'
import { newDataDir } from '../support/temporary.ts'
import { until } from '../support/until.ts'
import { percentile } from './samples.ts'

const ENDPOINTS = Number(process.env.HANGING_ENDPOINTS ?? 600)
const EVENTS = Number(process.env.HANGING_EVENTS ?? 300)
const PAUSE_MS = 100
/** Often enough that a hanging endpoint always has a due delivery. */
const HANGING_EVERY_MS = 3_000
const MOST_MS = 500
/** While nothing hangs: the median, and the slowest. */
const USUAL_MS = 200
const SLOWEST_MS = 2_000

let open = 0
const hanging = createServer(request => {
  open++
  request.on('close', () => open--)
})
hanging.listen(0, '127.0.0.1')
await once(hanging, 'listening')
const arrivedAt = new Map<number, number>()
const receiver = await startReceiver(({ body }) => {
  const { data } = JSON.parse(body) as { data: { id: number } }
  if (!arrivedAt.has(data.id)) arrivedAt.set(data.id, performance.now())
})
afterAll(async () => {
  hanging.closeAllConnections()
  hanging.close()
  await receiver.close()
})

test(`${ENDPOINTS} hanging endpoints of one account: p99 of another's deliveries`, async () => {
  const env: Env = {
    TRIBUTARY_DATA_DIR: await newDataDir(),
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    // More than the default limit allows: the limit is one defence, and this tests the other.
    TRIBUTARY_MAX_WEBHOOK_ENDPOINTS: String(ENDPOINTS),
    LOG_LEVEL: 'warn',
  }
  const service = await serve(env)
  const [bad, good] = [await createProgramme(env), await createProgramme(env)]
  const [attacker, client] = [api(service.url, bad.key), api(service.url, good.key)]
  const { port } = hanging.address() as AddressInfo
  for (let n = 0; n < ENDPOINTS; n++)
    await attacker.webhookEndpoints.create({
      url: `http://127.0.0.1:${port}/${n}`,
      events: ['promoter.approved'],
    })
  await client.webhookEndpoints.create({ url: receiver.url, events: ['promoter.approved'] })

  let counter = 0
  const approve = async (with_: typeof client, campaign_id: number) => {
    const { id } = await with_.affiliates.create({ email: `a${++counter}@example.com`, campaign_id })
    await with_.affiliates.update(id, { status: 'approved' })
    return id
  }
  const measure = async (events: number) => {
    const latencies: number[] = []
    for (let n = 0; n < events; n++) {
      const id = await approve(client, good.campaignId)
      const answeredAt = performance.now()
      await until('the event has come', () => arrivedAt.has(id))
      latencies.push(Math.max(0, (arrivedAt.get(id) as number) - answeredAt))
      await sleep(PAUSE_MS)
    }
    return latencies
  }
  const before = await measure(EVENTS / 3)
  let isOver = false
  const hang = (async () => {
    while (!isOver) {
      await approve(attacker, bad.campaignId)
      await sleep(HANGING_EVERY_MS)
    }
  })()
  await until('endpoints hang', () => open > 0)
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, open)
  }, 50)
  const latencies = await measure(EVENTS)
  isOver = true
  clearInterval(watching)
  await hang
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)].map(Math.round) as [
    number,
    number,
  ]
  reportMeasurement({
    row: 28,
    what: `p99 in ms of ${EVENTS} deliveries beside ${ENDPOINTS} hanging endpoints (p50 ${p50}, without them p99 ${Math.round(percentile(before, 0.99))}; at most ${most} hung at once)`,
    value: p99,
    bar: `≤ ${MOST_MS}`,
    holds: p99 <= MOST_MS,
  })
  expect(most).toBeGreaterThan(ENDPOINTS / 3)
  expect(p99).toBeLessThanOrEqual(MOST_MS)
  expect(percentile(before, 0.5)).toBeLessThanOrEqual(USUAL_MS)
  expect(Math.max(...before)).toBeLessThan(SLOWEST_MS)
  // They have hung for long enough; there is no need to wait for their ten-second timeout.
  hanging.closeAllConnections()
  expect(await service.stop()).toBe(0)
}, 600_000)
