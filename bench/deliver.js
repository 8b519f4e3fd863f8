// Deliveries per second, end to end: committed events are claimed, signed, sent, acknowledged and recorded. Compared with a bare undici
// loop that posts the same bytes to the same receiver with the same concurrency.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { median } from './median.js'
import { settle, subscribe, withOwner, withService } from './service.js'
import { forked } from './side-by-side.js'
import { memoryOf, processorMeter, rootsOf } from './usage.js'

const ENDPOINTS = 8
/** Of a round, which takes about as many seconds as those of the other benchmarks: its start and end count for little. */
const EVENTS = 2000
/** The service's concurrency limit per endpoint. */
const AT_ONCE_PER_ENDPOINT = 16

const commission = JSON.stringify({
  ...{
    id: 1,
    campaign_id: 1,
    affiliate_id: 1,
    referral_id: 1,
    entry_type: 'earned',
    beneficiary: 'affiliate',
  },
  ...{
    amount_minor: 980,
    currency: 'USD',
    payout_amount_minor: 980,
    payout_currency: 'USD',
    status: 'pending',
  },
  ...{
    hold_until: '2026-12-15T12:00:00.000Z',
    description: 'Sale 1',
    created_at: '2026-11-15T12:00:00.000Z',
  },
})

/** As the outbox writes them: an event and its delivery to every endpoint, in one commit that wakes the worker. */
const NEW_EVENTS = `
  WITH moment AS (SELECT nextval('events_id_seq') AS id, clock_timestamp() AS at FROM generate_series(1, $2::integer)),
  event AS (
    INSERT INTO events (account_id, id, kind, subject_id, body, created_at)
    SELECT 1, id, 'promoter.approved', 1, event_body(id, 'promoter.approved', at, $1), at FROM moment RETURNING id
  ), promised AS (
    INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at)
    SELECT 1, event.id, w.id, now() + interval '1 ms' * $3::integer FROM event, webhook_endpoints w WHERE w.account_id = 1 RETURNING id
  )
  SELECT pg_notify('tributary_deliveries', '') FROM promised LIMIT 1`

/** Queues events, due after this many milliseconds. */
export const queueEvents = (owner, count, dueInMs = 0) =>
  owner.query(NEW_EVENTS, [commission, count, dueInMs])

/** Deliveries per second, from the commit of their events until the last result is recorded. */
async function deliver(owner) {
  await queueEvents(owner, EVENTS)
  const started = performance.now()
  // Prepared and not too often: at every 5 ms it took a sixth of PostgreSQL's time.
  const pending = {
    name: 'pending',
    text: `SELECT 1 FROM deliveries WHERE status = 'pending' ORDER BY account_id, endpoint_id LIMIT 1`,
  }
  while ((await owner.query(pending)).rows.length > 0) await sleep(20)
  return (EVENTS * ENDPOINTS * 1000) / (performance.now() - started)
}

/** Posts the same bytes to the same paths, without a service. */
async function post(receiver, body, dispatcher) {
  const started = performance.now()
  const lanes = Array.from({ length: ENDPOINTS }, (_, index) => {
    let left = EVENTS
    const lane = async () => {
      while (left-- > 0) {
        const answer = await request(`${receiver}/${index}`, { method: 'POST', body, dispatcher })
        await answer.body.dump()
      }
    }
    return Array.from({ length: AT_ONCE_PER_ENDPOINT }, lane)
  })
  await Promise.all(lanes.flat())
  return (EVENTS * ENDPOINTS * 1000) / (performance.now() - started)
}

export const deliveries = ({ rounds }) =>
  withService(
    async () => undefined,
    async service => {
      const receiver = forked('receiver.js')
      const dispatcher = new Agent()
      try {
        const [{ url }] = await once(receiver, 'message')
        for (let index = 0; index < ENDPOINTS; index++)
          await subscribe(service, `${url}/${index}`, 'promoter.approved')
        const rates = { ours: [], bare: [] }
        const roots = await rootsOf(service)
        const meter = processorMeter(roots)
        await withOwner(service.dataDir, async owner => {
          const body = `{"id":1,"type":"promoter.approved","created_at":"2026-11-15T12:00:00.000Z","data":${commission}}`
          // The first round is a warm-up and not counted.
          for (let round = 0; round <= rounds; round++) {
            const ours = await (round === 0 ? deliver(owner) : meter.during(() => deliver(owner)))
            const bare = await post(url, body, dispatcher)
            if (round === 0) {
              await settle(service.dataDir)
              continue
            }
            rates.ours.push(ours)
            rates.bare.push(bare)
          }
        })
        receiver.send('how many?')
        const [{ received }] = await once(receiver, 'message')
        const expected = 2 * EVENTS * ENDPOINTS * (rounds + 1)
        if (received !== expected)
          throw new Error(`The receiver got ${received} requests instead of ${expected}.`)
        return {
          ours: median(rates.ours),
          baseline: median(rates.bare),
          unit: 'deliveries/s',
          ...meter.per(EVENTS * ENDPOINTS * rounds),
          ...memoryOf(roots),
        }
      } finally {
        await dispatcher.close()
        receiver.kill()
      }
    },
  )
