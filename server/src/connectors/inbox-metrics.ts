import { Counter, type Registry } from 'prom-client'
import type { EventStatus } from './connector-event.store.ts'

/** Why a request was not accepted; nothing of it is stored. */
const refusals = [
  'unknown_connector',
  'signature',
  'stale',
  'malformed',
  'unknown_type',
  'too_large',
  'overloaded',
  'error',
] as const
export type RefusalReason = (typeof refusals)[number]

export interface InboxMetrics {
  accepted(isNew: boolean): void
  refused(reason: RefusalReason): void
  /** An event was processed and is in this state now; `received` is one that is looked at again later. */
  processed(status: EventStatus): void
}

const statuses: EventStatus[] = ['received', 'applied', 'ignored', 'waiting', 'failed']
const known = new WeakMap<Registry, InboxMetrics>()

/** The counters of billing events. Requests and background work of one process share them. */
export function inboxMetrics(registry: Registry): InboxMetrics {
  const found = known.get(registry)
  if (found) return found
  const counter = <L extends string>(name: string, help: string, label: L, values: readonly string[]) => {
    const made = new Counter({ name, help, labelNames: [label], registers: [registry] })
    // Initialised to 0, so that the first one shows as an increase.
    for (const value of values) made.inc({ [label]: value } as Record<L, string>, 0)
    return made
  }
  const accepted = counter('tributary_billing_events_accepted_total', 'Billing events accepted', 'result', [
    'new',
    'repeated',
  ])
  const refused = counter(
    'tributary_billing_events_refused_total',
    'Requests to billing webhook URLs that were refused, by reason',
    'reason',
    refusals,
  )
  const processed = counter(
    'tributary_billing_events_processed_total',
    'Billing events processed, by the status they ended with',
    'status',
    statuses,
  )
  const metrics: InboxMetrics = {
    accepted: isNew => accepted.inc({ result: isNew ? 'new' : 'repeated' }),
    refused: reason => refused.inc({ reason }),
    processed: status => processed.inc({ status }),
  }
  known.set(registry, metrics)
  return metrics
}
