// Billing events: how many the inbox accepts, beside a handler that does nothing but insert the body; and how long a call of the API
// takes while a burst of events arrives, beside the same call while a bare server in another process takes the burst, and while the service
// works it off.
import { once } from 'node:events'
import { fill } from '../testing/fill.js'
import { median } from './median.js'
import { connection, settle, withOwner, withService } from './service.js'
import { alternate, forked, round } from './side-by-side.js'
import { memoryOf, processorMeter, rootsOf } from './usage.js'

const size = { affiliates: 1000, commissions: 0, varied: true }
const BURST = 10_000
/** More than the largest merchants get from a provider. */
const PACE = { amount: 800, perSecond: 200 }
/** Calls of the API for each measurement, one after the other; while events arrive, as many as fit. */
const CALLS = 400

/** A connector for Stripe whose events are signed with this secret. */
const connect = ({ run }) =>
  JSON.parse(
    run('connector', 'add', 'stripe', '--account', '1', '--signing-secret', 'whsec_of_the_bench', '--json'),
  )

const countEvents = (dataDir, condition = 'true') =>
  withOwner(dataDir, async owner =>
    Number(
      (
        await owner.query(
          `SELECT count(*) AS n FROM connector_events WHERE connector_id = 1 AND ${condition}`,
        )
      ).rows[0].n,
    ),
  )

/** The median and the 99th percentile of an API call's latency, in milliseconds, until `arrival` has ended. */
async function latency({ url, keys }, arrival) {
  const times = []
  let isOver = arrival === undefined
  const end = () => {
    isOver = true
  }
  arrival?.then(end, end)
  for (let call = 0; call < CALLS || !isOver; call++) {
    const started = performance.now()
    const response = await fetch(`${url}/api/v1/affiliates/${1 + (call % size.affiliates)}`, {
      headers: { authorization: `Bearer ${keys[call % keys.length]}` },
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`The API responded ${response.status}.`)
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  return { median: median(times), p99: times[Math.floor(times.length * 0.99)] }
}

/** A burst of events at once, with the API measured before, meanwhile, and while its events are processed; `bareUrl` takes another one. */
async function burst(service, bareUrl, load, job) {
  await latency(service)
  const quiet = await latency(service)
  const arrivalAtPace = round(load, { ...job, url: service.url, ...PACE })
  const atPace = await latency(service, arrivalAtPace)
  await arrivalAtPace
  const arrivalElsewhere = round(load, { ...job, url: bareUrl, amount: BURST })
  const elsewhere = await latency(service, arrivalElsewhere)
  const { rate: rateElsewhere } = await arrivalElsewhere
  const before = await countEvents(service.dataDir)
  const arrival = round(load, { ...job, url: service.url, amount: BURST })
  const during = await latency(service, arrival)
  const { rate } = await arrival
  const accepted = (await countEvents(service.dataDir)) - before
  if (accepted !== BURST) throw new Error(`${accepted} of ${BURST} events were stored.`)
  const backlog = await countEvents(service.dataDir, 'due_at IS NOT NULL')
  const processing = await latency(service)
  const of = (what, { median: ours, p99 }) => ({
    ...{ what, ours, baseline: quiet.median, unit: 'ms', p99_ms: Number(p99.toFixed(1)) },
    ...{ quiet_p99_ms: Number(quiet.p99.toFixed(1)) },
  })
  return [
    of(`an API call while ${PACE.perSecond} events a second arrive`, atPace),
    {
      ...of(`an API call while ${BURST} events arrive`, during),
      ...{ baseline: elsewhere.median, atMost: 1, events_per_second: Math.round(rate) },
      ...{ baseline_events_per_second: Math.round(rateElsewhere), quiet_ms: Number(quiet.median.toFixed(1)) },
    },
    { ...of('an API call while they are processed', processing), backlog },
  ]
}

export const connects = options =>
  withService(
    owner => fill(owner, size),
    async service => {
      const { url, keys, dataDir } = service
      connect(service)
      const baseline = forked('bare.js', JSON.stringify(await connection(dataDir)), size.affiliates)
      const [{ url: bareUrl }] = await once(baseline, 'message')
      const roots = await rootsOf(service)
      const meter = processorMeter(roots)
      const job = { name: 'connect', keys, connections: options.connections, ...size }
      const [ours, bare] = await alternate([url, bareUrl], job, { ...options, dataDir, meter })
      // What the rounds left to process would count against the burst.
      await withOwner(dataDir, owner => owner.query('UPDATE connector_events SET due_at = NULL'))
      await settle(dataDir)
      const load = forked('load.js')
      try {
        const results = await burst(service, bareUrl, load, job)
        return [
          {
            ...{ what: 'accepted', ours: ours.rate, baseline: bare.rate, unit: 'events/s', atLeast: 0.6 },
            ...meter.per(ours.answered),
            ...memoryOf(roots),
          },
          ...results,
        ]
      } finally {
        load.kill()
        baseline.kill()
      }
    },
  )
