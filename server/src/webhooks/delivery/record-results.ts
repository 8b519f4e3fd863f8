import type { Db } from '../../db/database.ts'
import { memo } from '../../kit/cache.ts'
import { parseUrl } from '../../kit/url.ts'
import type { EndpointKey } from '../outbox/endpoint-locks.ts'
import type { AttemptResult } from './delivery.ts'
import { disableEndpoints, recordAttempts, recordHealth } from './delivery-queue.store.ts'
import type { DeliveryWorkerOptions } from './delivery-worker-options.ts'
import { DISABLE_AFTER_MS } from './retry-schedule.ts'

const hosts = memo<string>(1000)
const hostOf = (url: string) => hosts(url, () => parseUrl(url)?.host ?? url)

/** The distinct endpoints of some results. */
function endpointsOf(results: AttemptResult[]): EndpointKey[] {
  const found = new Map(results.map(({ delivery }) => [delivery.endpoint_id, delivery]))
  return [...found.values()].map(({ account_id, endpoint_id }) => ({ account_id, endpoint_id }))
}

/** Records a batch of results, updates the endpoints' health, and disables those that are gone or have been failing for too long. */
export async function recordResults(
  { db, clock, log, metrics }: Pick<DeliveryWorkerOptions, 'clock' | 'log' | 'metrics'> & { db: Db },
  results: AttemptResult[],
): Promise<void> {
  const healthy = endpointsOf(results.filter(({ outcome }) => !outcome.failure))
  // An endpoint is failing only if none of its attempts succeeded.
  const failing = endpointsOf(results.filter(({ outcome }) => outcome.failure)).filter(
    ({ endpoint_id }) => !healthy.some(endpoint => endpoint.endpoint_id === endpoint_id),
  )
  const gone = endpointsOf(results.filter(({ outcome }) => outcome.status === 410))

  const disabled = await db.transaction(async tx => {
    recordHealth(tx, clock, { healthy, failing })
    recordAttempts(tx, clock, results)
    return [
      ...(gone.length > 0 ? await disableEndpoints(tx, clock, gone) : []),
      ...(failing.length > 0 ? await disableEndpoints(tx, clock, failing, DISABLE_AFTER_MS) : []),
    ]
  })

  for (const endpoint of disabled) log.warn(endpoint, 'webhook endpoint disabled')
  for (const { delivery, outcome, next } of results) {
    metrics.attempt(outcome)
    log.info(
      {
        account_id: delivery.account_id,
        delivery_id: delivery.id,
        endpoint_id: delivery.endpoint_id,
        event_id: delivery.event_id,
        kind: delivery.event_kind,
        attempt: delivery.attempts + 1,
        host: hostOf(delivery.url),
        status: outcome.status,
        duration_ms: outcome.durationMs,
        error_stage: outcome.failure?.stage,
        error: outcome.failure?.message,
        result: next.status,
        retry_in_ms: 'delayMs' in next ? next.delayMs : undefined,
      },
      'delivery attempt',
    )
  }
}
