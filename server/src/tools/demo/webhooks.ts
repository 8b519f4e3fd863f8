import type { EventKind } from '@tributary/contract'
import pino from 'pino'
import type { AttemptOutcome, AttemptResult } from '../../webhooks/delivery/delivery.ts'
import { recordResults } from '../../webhooks/delivery/record-results.ts'
import { RETRY_DELAYS_MS } from '../../webhooks/delivery/retry-schedule.ts'
import { setEndpointStatus } from '../../webhooks/endpoints/set-endpoint-status.ts'
import { subscribeEndpoint } from '../../webhooks/endpoints/subscribe-endpoint.ts'
import { TODAY } from './calendar.ts'
import { type PendingDelivery, pendingDeliveries } from './demo.store.ts'
import { byPerson, type Step, type Story } from './story.ts'

/** Loopback only; run something there to receive the events. */
const HEALTHY = 'http://127.0.0.1:4010/hooks/tributary'
const FAILING = 'http://127.0.0.1:4011/crm/partners'
const RETIRED = 'http://127.0.0.1:4012/legacy'

/** Deliveries are kept for three months. */
const FIRST_DAY = TODAY - 60
const FAILING_SINCE_DAY = TODAY - 1
const RESULTS_AT_ONCE = 500

const endpoints: { url: string; events: EventKind[]; day: number }[] = [
  { url: RETIRED, events: ['conversion.created'], day: FIRST_DAY },
  {
    url: HEALTHY,
    events: ['promoter.approved', 'commission.created', 'payout.paid', 'conversion.created'],
    day: FIRST_DAY,
  },
  { url: FAILING, events: ['promoter.approved', 'conversion.created'], day: FIRST_DAY + 20 },
]

/** Creates the endpoints, and disables an old one. */
export const webhookSteps = (story: Story): Step[] =>
  endpoints.map(({ url, events, day }, index) => {
    const at = story.calendar.at(day, 0.3 + 0.01 * index)
    const run = async () => {
      // If only public addresses are allowed, deliveries to these fail, and the log shows why.
      const settings = { ...story.services.settings, NODE_ENV: 'development' as const }
      const change = { action: 'webhook_endpoint.create', details: { url, events } }
      const { id } = await byPerson(story, 'admin', at, change, async tx => {
        const { secret, ...endpoint } = await subscribeEndpoint(
          { ...story.services, db: tx, settings },
          story.accountId,
          { url, events },
        )
        return endpoint
      })
      story.past.endpoints.push({ id, at })
      if (url !== RETIRED) return
      const retired = { action: 'webhook_endpoint.switch', subjectId: id, details: { status: 'disabled' } }
      await byPerson(story, 'admin', at, retired, tx =>
        setEndpointStatus(tx, story.accountId, id, 'disabled'),
      )
    }
    return { at, run }
  })

const responded = (status: number, text: string, durationMs: number): AttemptOutcome => ({
  durationMs,
  status,
  response: Buffer.from(text),
  failure: status === 200 ? undefined : { stage: 'status', message: `HTTP ${status}, and only 200 counts` },
  retryAfter: undefined,
})

const refused: AttemptOutcome = {
  durationMs: 3,
  status: undefined,
  response: undefined,
  failure: { stage: 'connect', message: 'connect ECONNREFUSED 127.0.0.1:4011' },
  retryAfter: undefined,
}

/** Writes the delivery log through the worker's own code, with generated responses. */
export async function recordDeliveries(story: Story, now: string): Promise<void> {
  const { tx, accountId, random } = story
  const log = pino({ level: 'silent' })
  const failingSince = Date.parse(story.calendar.at(FAILING_SINCE_DAY, 0.2))
  const isLost = ({ url, created_at }: PendingDelivery) =>
    url === FAILING && Date.parse(created_at) > failingSince
  const all = await pendingDeliveries(tx, accountId)
  const record = async (results: AttemptResult[], offsetMs: number) => {
    for (let from = 0; from < results.length; from += RESULTS_AT_ONCE)
      await recordResults(
        { db: tx, clock: { offsetMs }, log, metrics: { attempt: () => undefined } },
        results.slice(from, from + RESULTS_AT_ONCE),
      )
  }
  const arrived = all.filter(delivery => !isLost(delivery))
  const stumbling = arrived.filter(() => random.chance(0.03))
  const retryMs = RETRY_DELAYS_MS[0] as number
  await record(
    stumbling.map(delivery => ({
      delivery,
      outcome: responded(503, 'Service Unavailable', random.whole(40, 900)),
      startedAtMs: Date.parse(delivery.created_at) + 60,
      mayDisable: false,
      next: { status: 'pending', delayMs: 0 },
    })),
    0,
  )
  await record(
    arrived.map(delivery => {
      const isSecond = stumbling.includes(delivery)
      return {
        delivery: isSecond ? { ...delivery, attempts: 1 } : delivery,
        outcome: responded(200, '{"ok":true}', random.whole(12, 180)),
        startedAtMs: Date.parse(delivery.created_at) + (isSecond ? retryMs : 60),
        mayDisable: false,
        next: { status: 'delivered' },
      }
    }),
    0,
  )
  await recordLost(all.filter(isLost), record, Date.parse(now), failingSince)
}

/** All attempts that the schedule has reached by now, and the time of the next one. */
async function recordLost(
  lost: PendingDelivery[],
  record: (results: AttemptResult[], offsetMs: number) => Promise<void>,
  nowMs: number,
  failingSince: number,
): Promise<void> {
  const offsetMs = failingSince - nowMs
  for (let attempts = 0; attempts < RETRY_DELAYS_MS.length; attempts++) {
    const results = lost.flatMap((delivery): AttemptResult[] => {
      const startedAtMs = attemptMs(delivery, attempts)
      if (startedAtMs >= nowMs) return []
      // Due by a clock set to the start of the failures.
      const delayMs = attemptMs(delivery, attempts + 1) - failingSince
      return [
        {
          delivery: { ...delivery, attempts },
          outcome: refused,
          startedAtMs,
          mayDisable: false,
          next: { status: 'pending', delayMs },
        },
      ]
    })
    await record(results, offsetMs)
  }
}

const attemptMs = (delivery: PendingDelivery, attempts: number) =>
  Date.parse(delivery.created_at) +
  60 +
  RETRY_DELAYS_MS.slice(0, attempts).reduce((sum, delay) => sum + delay, 0)
