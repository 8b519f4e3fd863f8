// The service's memory under load, compared with its memory after the start, and its growth after the warm-up.
import { setTimeout as sleep } from 'node:timers/promises'
import { fill } from '../testing/fill.js'
import { median } from './median.js'
import { serve, withService } from './service.js'
import { forked, round } from './side-by-side.js'
import { residentMiB } from './usage.js'

const AFFILIATES = 10_000
const SAMPLE_EVERY_MS = 1000

/** MiB per hour, by a least-squares fit of the second half. */
function slope(samples) {
  const half = samples.slice(Math.floor(samples.length / 2))
  const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(half.map(({ at }) => at)), mean(half.map(({ mib }) => mib))]
  const above = half.reduce((sum, { at, mib }) => sum + (at - x) * (mib - y), 0)
  const below = half.reduce((sum, { at }) => sum + (at - x) ** 2, 0)
  return (above / below) * 3_600_000
}

/** Takes five minutes in a full run, and 40 seconds alone unless `--minutes` is set. */
export const memory = ({ minutes, connections }) =>
  withService(
    owner => fill(owner, { affiliates: AFFILIATES, commissions: 0, varied: true }),
    async ({ keys, dataDir }) => {
      // A service that has not served any requests yet, on the same database.
      const service = await serve({ TRIBUTARY_DATA_DIR: dataDir })
      const load = forked('load.js')
      try {
        await sleep(1000)
        const before = residentMiB(service.pid)
        const samples = []
        const started = performance.now()
        const sampling = setInterval(() => {
          samples.push({ at: performance.now() - started, mib: residentMiB(service.pid) })
        }, SAMPLE_EVERY_MS)
        const job = { name: 'get', url: service.url, keys, affiliates: AFFILIATES, connections }
        await round(load, { ...job, seconds: Math.round(minutes * 60) })
        clearInterval(sampling)
        return {
          ours: median(samples.map(({ mib }) => mib)),
          baseline: before,
          unit: 'MiB',
          grows_mib_per_hour: Math.round(slope(samples)),
        }
      } finally {
        load.kill()
        await service.stop()
      }
    },
  )
