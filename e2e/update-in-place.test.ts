/** Protects a service whose files are replaced under it: an update is installed first, and restarted into afterwards. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { api } from './support/api.ts'
import { copyCheckout } from './support/checkout-copy.ts'
import { must } from './support/program.ts'
import { startReceiver } from './support/recording-receiver.ts'
import { serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

/** Password hashing is all that a service loads from node_modules after its start. Its binary stays mapped into the process. */
const untilAllLoaded = (pid: number) =>
  until('password hashing is loaded', () => readFileSync(`/proc/${pid}/maps`, 'utf8').includes('/@node-rs/'))

/** Another build of an installation, with pages of other names. */
async function installNextBuild(root: string): Promise<void> {
  const program = `
    const { cpSync, rmSync } = await import('node:fs')
    const [, dist, builds] = process.argv
    const { addBuild, currentBuild } = await import(builds)
    await addBuild(dist, async folder => {
      for (const part of ['/program', '/web']) cpSync(currentBuild(dist) + part, folder + part, { recursive: true })
      rmSync(folder + '/web/assets', { recursive: true, force: true })
    })`
  const [dist, builds] = [join(root, 'server/dist'), join(root, 'server/bin/builds.js')]
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, dist, builds])
}

const buildsOf = (root: string) =>
  readdirSync(join(root, 'server/dist')).filter(name => name !== 'current').length

test('a service works from its own build after two more were installed, and frees it by ending', async () => {
  const root = join(await temporaryDirectory(), 'tributary')
  // Builds what is stale, so that the copy is of today's program.
  await must(['--help'], {})
  await copyCheckout(root)
  const { dataDir, programme } = await preparedDataDir()
  const { key, campaignId, owner } = programme
  const service = await serve({ TRIBUTARY_DATA_DIR: dataDir }, { root })
  const page = await (await fetch(`${service.url}/dashboard`)).text()
  const asset = /\/web\/assets\/[^"]+\.js/.exec(page)?.[0]
  await untilAllLoaded(service.pid)
  await installNextBuild(root)
  await installNextBuild(root)
  expect(buildsOf(root)).toBe(2)
  await rm(join(root, 'node_modules/@node-rs'), { recursive: true })

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
  await installNextBuild(root)
  expect(buildsOf(root)).toBe(1)
})
