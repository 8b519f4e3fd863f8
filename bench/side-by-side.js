// Requests answered per second, service and yardstick by turns: the machine is rarely idle, and what disturbs one round disturbs the
// next one too. Medians count.
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

/** A process of ours that tells an address, or answers jobs, and ends with us. */
export const forked = (file, ...args) => fork(join(here, file), args)

/** One round of load; returns answers per second. */
export async function round(load, job) {
  load.send(job)
  const [{ rate, failed }] = await once(load, 'message')
  if (failed > 0) throw new Error(`${failed} requests failed: ${JSON.stringify({ ...job, keys: '…' })}`)
  return rate
}

/** Each of these addresses by turns; the median rate of each. A first round warms it up and does not count. */
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

/** Somebody listens to the sales, and never answers: each sale has its delivery, and sending them takes nothing from the selling. */
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

/** PostgreSQL looks at its tables once a minute by itself; before that it takes them for as empty as they were. */
export const settle = dataDir => withOwner(dataDir, owner => owner.query('VACUUM ANALYZE'))

/** A benchmark of requests: the service beside the bare server, on the same database. */
export function requests(name, { commissions = 0, beside = (_service, work) => work() } = {}) {
  return options =>
    withService(
      owner => fill(owner, { affiliates: AFFILIATES, commissions, varied: true }),
      async service => {
        const yardstick = forked('bare.js', JSON.stringify(await connection(service.dataDir)))
        const [{ url }] = await once(yardstick, 'message')
        const job = { name, keys: service.keys, affiliates: AFFILIATES, connections: options.connections }
        const { dataDir } = service
        const measure = () => alternate([service.url, url], job, { ...options, dataDir })
        const [ours, bare] = await beside(service, measure)
        yardstick.kill()
        return { ours, yardstick: bare, unit: 'requests/s' }
      },
    )
}
