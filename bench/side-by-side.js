// Responses per second of service and baseline in alternating rounds: the machine is rarely idle, and what disturbs one round disturbs
// the next one too. Medians are compared.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fill } from '../testing/fill.js'
import { median } from './median.js'
import { connection, subscribe, withOwner, withService } from './service.js'

const here = dirname(fileURLToPath(import.meta.url))
const AFFILIATES = 10_000

/** A child process that reports a URL or handles jobs, and ends with this one. */
export const forked = (file, ...args) => fork(join(here, file), args)

/** One round of load; returns responses per second. */
export async function round(load, job) {
  load.send(job)
  const [{ rate, failed }] = await once(load, 'message')
  if (failed > 0) throw new Error(`${failed} requests failed: ${JSON.stringify({ ...job, keys: '…' })}`)
  return rate
}

/** Alternates between these URLs; returns the median rate of each. The first round is a warm-up and not counted. */
export async function alternate(addresses, job, { rounds, seconds, dataDir }) {
  const load = forked('load.js')
  try {
    const rates = addresses.map(() => [])
    for (const url of addresses) await round(load, { ...job, url, seconds })
    await settle(dataDir)
    for (let i = 0; i < rounds; i++)
      for (const [index, url] of addresses.entries())
        rates[index].push(await round(load, { ...job, url, seconds }))
    return rates.map(median)
  } finally {
    load.kill()
  }
}

/** A webhook endpoint that never responds: each sale has a delivery, and sending it must not slow down sales. */
export async function withSilentReceiver(service, work) {
  const receiver = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  await subscribe(service, `http://127.0.0.1:${receiver.address().port}/`, 'commission.created')
  try {
    return await work()
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}

/** Autovacuum analyzes tables once a minute; before that, the planner assumes that they are empty. */
export const settle = dataDir => withOwner(dataDir, owner => owner.query('VACUUM ANALYZE'))

/** A request benchmark: the service compared with the bare server, on the same database. */
export function requests(name, { commissions = 0, beside = (_service, work) => work() } = {}) {
  return options =>
    withService(
      owner => fill(owner, { affiliates: AFFILIATES, commissions, varied: true }),
      async service => {
        const baseline = forked('bare.js', JSON.stringify(await connection(service.dataDir)))
        const [{ url }] = await once(baseline, 'message')
        const job = { name, keys: service.keys, affiliates: AFFILIATES, connections: options.connections }
        const { dataDir } = service
        const measure = () => alternate([service.url, url], job, { ...options, dataDir })
        const [ours, bare] = await beside(service, measure)
        baseline.kill()
        return { ours, baseline: bare, unit: 'requests/s' }
      },
    )
}
