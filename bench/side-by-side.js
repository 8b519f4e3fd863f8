// Responses per second of service and baseline in alternating rounds: the machine is rarely idle, and what disturbs one round disturbs
// the next one too. Medians are compared.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fill } from '../testing/fill.js'
import { median } from './median.js'
import { rollUpCost } from './roll-up.js'
import { connection, settle, subscribe, unsubscribe, withService } from './service.js'
import { memoryOf, processorMeter, rootsOf } from './usage.js'

const here = dirname(fileURLToPath(import.meta.url))
const AFFILIATES = 10_000

/** A child process that reports a URL or handles jobs, and ends with this one. */
export const forked = (file, ...args) => fork(join(here, file), args)

/** One round of load; returns responses per second and their number. */
export async function round(load, job) {
  load.send(job)
  const [{ rate, answered, failed }] = await once(load, 'message')
  if (failed > 0) throw new Error(`${failed} requests failed: ${JSON.stringify({ ...job, keys: '…' })}`)
  return { rate, answered }
}

/**
 * Alternates between these URLs; returns the median rate of each, and the number of responses of each. The first round is a warm-up and
 * not counted. The processor time of the first URL's rounds is measured.
 */
export async function alternate(
  addresses,
  job,
  { rounds, seconds, dataDir, meter = processorMeter(undefined) },
) {
  const load = forked('load.js')
  try {
    const results = addresses.map(() => [])
    for (const url of addresses) await round(load, { ...job, url, seconds })
    await settle(dataDir)
    for (let i = 0; i < rounds; i++)
      for (const [index, url] of addresses.entries()) {
        const run = () => round(load, { ...job, url, seconds })
        results[index].push(await (index === 0 ? meter.during(run) : run()))
      }
    return results.map(all => ({
      rate: median(all.map(({ rate }) => rate)),
      answered: all.reduce((sum, { answered }) => sum + answered, 0),
    }))
  } finally {
    load.kill()
  }
}

/** A webhook endpoint that never responds, until it is deleted: each sale has a delivery, and sending it must not slow down sales. */
export async function withSilentReceiver(service, work) {
  const receiver = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const endpoint = await subscribe(
    service,
    `http://127.0.0.1:${receiver.address().port}/`,
    'commission.created',
    'conversion.created',
  )
  try {
    const result = await work()
    await unsubscribe(service, endpoint)
    return result
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}

/** A request benchmark: the service compared with the bare server, on the same database. */
export function requests(name, { size = {}, beside = (_service, work) => work() } = {}) {
  const filled = { affiliates: AFFILIATES, commissions: 0, varied: true, ...size }
  return options =>
    withService(
      owner => fill(owner, filled),
      async service => {
        const { url, keys, dataDir } = service
        const baseline = forked('bare.js', JSON.stringify(await connection(dataDir)), AFFILIATES)
        const [{ url: bareUrl }] = await once(baseline, 'message')
        // Otherwise the service sums up the filled year beside the first rounds: a third of PostgreSQL's time.
        service.run('insight', 'rebuild', '--account', '1')
        const roots = await rootsOf(service)
        const meter = processorMeter(roots)
        const job = { name, keys, connections: options.connections, ...filled }
        const result = await beside(service, async () => {
          const [ours, bare] = await alternate([url, bareUrl], job, { ...options, dataDir, meter })
          baseline.kill()
          await once(baseline, 'exit')
          // Its connections are closed before memory is measured.
          await sleep(500)
          return {
            ours: ours.rate,
            baseline: bare.rate,
            unit: 'requests/s',
            ...meter.per(ours.answered),
            ...memoryOf(roots),
          }
        })
        return [result, ...(await rollUpCost(name, service, roots, result))]
      },
    )
}
