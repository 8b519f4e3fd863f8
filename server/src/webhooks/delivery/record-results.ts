import type { Db, Tx } from '../../db/database.ts'
import { isLockTimeout } from '../../db/failures.ts'
import { memo } from '../../kit/cache.ts'
import type { Clock } from '../../kit/clock.ts'
import { parseUrl } from '../../kit/url.ts'
import type { EndpointKey } from '../outbox/endpoint-locks.ts'
import type { AttemptResult } from './delivery.ts'
import { disableEndpoints, lockResults, recordAttempts, recordHealth } from './delivery-queue.store.ts'
import type { DeliveryWorkerOptions } from './delivery-worker-options.ts'
import { DISABLE_AFTER_MS } from './retry-schedule.ts'

const hosts = memo<string>(1000)
const hostOf = (url: string) => hosts(url, () => parseUrl(url)?.host ?? url)

/** The distinct endpoints of some results. */
function endpointsOf(results: AttemptResult[]): EndpointKey[] {
  const found = new Map(results.map(({ delivery }) => [delivery.endpoint_id, delivery]))
  return [...found.values()].map(({ account_id, endpoint_id }) => ({ account_id, endpoint_id }))
}

type Recorder = Pick<DeliveryWorkerOptions, 'clock' | 'log' | 'metrics'> & { db: Db }

/** The endpoints whose health these results show. One is failing only if none of its attempts succeeded. */
function healthOf(results: AttemptResult[]): { healthy: EndpointKey[]; failing: EndpointKey[] } {
  const healthy = endpointsOf(results.filter(({ outcome }) => !outcome.failure))
  const failing = endpointsOf(results.filter(({ outcome }) => outcome.failure)).filter(
    ({ endpoint_id }) => !healthy.some(endpoint => endpoint.endpoint_id === endpoint_id),
  )
  return { healthy, failing }
}

/**
 * Records a batch of results of all accounts, and updates the endpoints' health. Returns the results that must wait: if another transaction holds
 * the row of one endpoint, its results must not keep those of the others from being recorded before their leases expire.
 */
export async function recordResults(recorder: Recorder, results: AttemptResult[]): Promise<AttemptResult[]> {
  const { db, clock } = recorder
  try {
    await db.transaction(
      async tx => {
        recordHealth(tx, clock, healthOf(results))
        recordAttempts(tx, clock, results)
      },
      { givesUpOnLocks: true },
    )
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    return recordFree(recorder, results)
  }
  report(recorder, results)
  return []
}

/**
 * Records the results of which no other transaction holds anything, and disables their endpoints if they are gone or have been failing for too
 * long. Returns the others. After a crash in between they are sent again, as if nothing of them had been recorded.
 */
export async function recordFree(recorder: Recorder, results: AttemptResult[]): Promise<AttemptResult[]> {
  const { db, clock, log } = recorder
  try {
    const { held, free, disabled } = await db.transaction(
      async tx => {
        const held = await lockResults(tx, results, healthOf(results).failing)
        const free = results.filter(result => !held.includes(result))
        if (free.length === 0) return { held, free, disabled: [] }
        recordHealth(tx, clock, healthOf(free))
        recordAttempts(tx, clock, free)
        return { held, free, disabled: await disableFailing(tx, clock, free) }
      },
      { givesUpOnLocks: true },
    )
    for (const endpoint of disabled) log.warn(endpoint, 'webhook endpoint disabled')
    report(recorder, free)
    return held
  } catch (error) {
    // Something else is locked, such as a table or what is canceled.
    if (isLockTimeout(error)) return results
    throw error
  }
}

async function disableFailing(tx: Tx, clock: Clock, results: AttemptResult[]): Promise<EndpointKey[]> {
  const decisive = results.filter(({ mayDisable }) => mayDisable)
  const gone = endpointsOf(decisive.filter(({ outcome }) => outcome.status === 410))
  const failing = healthOf(results).failing.filter(({ endpoint_id }) =>
    decisive.some(({ delivery }) => delivery.endpoint_id === endpoint_id),
  )
  return [
    ...(gone.length > 0 ? await disableEndpoints(tx, clock, gone) : []),
    ...(failing.length > 0 ? await disableEndpoints(tx, clock, failing, DISABLE_AFTER_MS) : []),
  ]
}

function report({ log, metrics }: Recorder, results: AttemptResult[]): void {
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
