/** Protects a service whose files are replaced under it: an update is installed first, and restarted into afterwards. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { api } from './support/api.ts'
import { copyCheckout } from './support/checkout-copy.ts'
import { must } from './support/program.ts'
import { createProgramme } from './support/programme.ts'
import { startReceiver } from './support/recording-receiver.ts'
import { serve } from './support/service.ts'
import { newDataDir, temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

/** Longer than it takes to load what no start waits for. */
const SETTLED_MS = 3000

test('what it has not needed yet works when its files are gone', async () => {
  const root = join(await temporaryDirectory(), 'tributary')
  // Builds what is stale, so that the copy is of today's program.
  await must(['--help'], {})
  await copyCheckout(root)
  const env = { TRIBUTARY_DATA_DIR: await newDataDir() }
  const service = await serve(env, { root })
  const { key, campaignId, owner } = await createProgramme(env)
  const page = await (await fetch(`${service.url}/dashboard`)).text()
  const asset = /\/web\/assets\/[^"]+\.js/.exec(page)?.[0]
  await sleep(SETTLED_MS)
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
  await until('a webhook', 10_000, () => receiver.received.length === 1)
  await receiver.close()
  expect(await service.stop()).toBe(0)
})
