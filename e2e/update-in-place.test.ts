/** Protects a service whose files are replaced under it: an update is installed first, and restarted into afterwards. */
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { api } from './support/api.ts'
import { copyCheckout } from './support/checkout-copy.ts'
import { must } from './support/program.ts'
import { startReceiver } from './support/recording-receiver.ts'
import { serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

/** What no start waits for is loaded a moment later. Then the process does next to nothing for this long. */
const IDLE_MS = 1500
const MOST_TICKS_WHEN_IDLE = 10

const processorTicks = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

const untilIdle = (pid: number) =>
  until('the service has loaded everything', async () => {
    const before = processorTicks(pid)
    await sleep(IDLE_MS)
    return processorTicks(pid) - before <= MOST_TICKS_WHEN_IDLE
  })

test('what it has not needed yet works when its files are gone', async () => {
  const root = join(await temporaryDirectory(), 'tributary')
  // Builds what is stale, so that the copy is of today's program.
  await must(['--help'], {})
  await copyCheckout(root)
  const { dataDir, programme } = await preparedDataDir()
  const { key, campaignId, owner } = programme
  const service = await serve({ TRIBUTARY_DATA_DIR: dataDir }, { root })
  const page = await (await fetch(`${service.url}/dashboard`)).text()
  const asset = /\/web\/assets\/[^"]+\.js/.exec(page)?.[0]
  await untilIdle(service.pid)
  for (const folder of ['server/dist', 'web/dist', 'node_modules/@node-rs'])
    await rm(join(root, folder), { recursive: true })

  expect((await fetch(service.url + asset)).status).toBe(200)
  const session = await fetch(`${service.url}/dashboard/api/session`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  })
  expect(session.ok).toBe(true)
  const receiver = await startReceiver()
  const { affiliates, webhookEndpoints } = api(service.url, key)
  await webhookEndpoints.create({ url: receiver.url, events: ['promoter.approved'] })
  const jane = await affiliates.create({ email: 'jane@example.com', campaign_id: campaignId })
  await affiliates.update(jane.id, { status: 'approved' })
  await until('a webhook', () => receiver.received.length === 1)
  await receiver.close()
  expect(await service.stop()).toBe(0)
})
