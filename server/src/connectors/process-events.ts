import type { Logger } from 'pino'
import type { Db, Tx } from '../db/database.ts'
import { applyReading } from './apply-reports.ts'
import type { Place } from './billing-facts.store.ts'
import { type ConnectorRow, lockBusyConnector, lockConnector, recordTurn } from './connector.store.ts'
import {
  type DueEvent,
  type EventState,
  type EventStatus,
  nextDueEvent,
  recordState,
} from './connector-event.store.ts'
import { withName } from './connector-name.ts'
import { failedState, isOfDatabase, nothing } from './failed-state.ts'
import { failpoint } from './failpoint.ts'
import type { Outcome } from './outcome.ts'
import { providerOf } from './providers.ts'

/** How many events one run processes at most, so that stopping never waits long. */
const EVENTS_PER_RUN = 200

function stateOf(outcome: Outcome): EventState {
  const { referralId = null, saleExternalId = null, refundExternalId = null } = outcome
  const made = { ...nothing, referralId, saleExternalId, refundExternalId }
  switch (outcome.status) {
    case 'postponed':
      return { ...made, dueInSeconds: outcome.seconds }
    case 'waiting':
      return {
        ...made,
        status: 'waiting',
        waitsFor: outcome.waitsFor,
        reason: { code: 'waits_for', params: { for: outcome.waitsFor } },
      }
    case 'ignored':
      return { ...made, status: 'ignored', reason: outcome.reason }
    case 'applied':
      return { ...made, status: 'applied' }
  }
}

async function applyEvent(
  tx: Tx,
  connector: ConnectorRow,
  event: DueEvent,
  leadKey: Buffer,
): Promise<Outcome> {
  const provider = await providerOf(connector.provider)
  if (!provider) throw new Error(`Connector ${connector.id} has an unknown provider: ${connector.provider}.`)
  const { base, takes_tests: takesTests, mapping } = connector
  const { provider_id: providerId, type, occurred_at: occurredAt, age_seconds: ageSeconds, attempts } = event
  return tx.transaction(async inner => {
    const body: unknown = JSON.parse(event.body)
    const verified = { id: providerId, type, occurredAt, body }
    const reading = withName(connector, provider.read(verified, { base, takesTests, mapping }))
    failpoint('event read')
    const source = { connector, providerId, ageSeconds, attempts, leadKey }
    const outcome = await applyReading(inner, source, reading)
    failpoint('reports applied')
    return outcome
  })
}

/**
 * Processes the next event of a connector that no other process is at work on, or of a given one, with all that it makes, in one
 * transaction: after a crash everything exists or nothing does. Returns false if there is none.
 */
export async function processNextEvent(
  db: Db,
  log: Logger,
  leadKey: Buffer,
  only?: Place,
  onProcessed?: (status: EventStatus) => void,
): Promise<boolean> {
  let taken: { connector: ConnectorRow; event: DueEvent } | undefined
  const failed = (error: unknown, { connector, event }: NonNullable<typeof taken>) => {
    log.warn({ err: error, connector_id: connector.id, event_id: event.id }, 'billing event failed')
    return failedState(error, event.attempts)
  }
  try {
    const ended = await db.transaction(async tx => {
      // In a separate statement: what is read behind it includes what the previous holder committed.
      const connector = only
        ? await lockConnector(tx, only.accountId, only.connectorId)
        : await lockBusyConnector(tx)
      const event = connector && (await nextDueEvent(tx, connector.account_id, connector.id))
      if (!event) return undefined
      const current = { connector, event }
      taken = current
      const state = await applyEvent(tx, connector, event, leadKey).then(stateOf, (error: unknown) => {
        if (isOfDatabase(error)) throw error
        return failed(error, current)
      })
      await recordState(tx, connector.account_id, event, state)
      await recordTurn(tx, connector)
      failpoint('state recorded')
      return state.status
    })
    if (ended === undefined) return false
    onProcessed?.(ended)
    return true
  } catch (error) {
    // An event whose outcome cannot even be recorded must not be the next one forever.
    if (!taken || isOfDatabase(error)) throw error
    const { connector, event } = taken
    const state = failed(error, taken)
    await db.transaction(async tx => {
      await recordTurn(tx, connector)
      await recordState(tx, connector.account_id, event, state)
    })
    onProcessed?.(state.status)
    return true
  }
}

/** Processes the events that are due: of all connectors, or of one. */
export async function processEvents(
  db: Db,
  log: Logger,
  leadKey: Buffer,
  {
    most = EVENTS_PER_RUN,
    only,
    onProcessed,
    signal,
  }: {
    most?: number
    only?: Place
    onProcessed?: (status: EventStatus) => void
    signal?: AbortSignal | undefined
  } = {},
): Promise<void> {
  for (let done = 0; done < most && !signal?.aborted; done++)
    if (!(await processNextEvent(db, log, leadKey, only, onProcessed))) return
}
