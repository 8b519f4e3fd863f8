// The gain of a second process: requests per second of `serve --processes 2` compared with one process, on the same database.
import { fill } from '../testing/fill.js'
import { serve, withService } from './service.js'
import { alternate } from './side-by-side.js'

const AFFILIATES = 10_000

export const processes = options =>
  withService(
    owner => fill(owner, { affiliates: AFFILIATES, commissions: 0, varied: true }),
    async ({ url, keys, dataDir }) => {
      const two = await serve({ TRIBUTARY_DATA_DIR: dataDir }, '--processes', '2')
      try {
        const job = { name: 'get', keys, affiliates: AFFILIATES, connections: options.connections }
        const [ours, baseline] = await alternate([two.url, url], job, { ...options, dataDir })
        return { what: '2 against 1', ours: ours.rate, baseline: baseline.rate, unit: 'requests/s' }
      } finally {
        await two.stop()
      }
    },
  )
